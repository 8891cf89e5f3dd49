import { analysisTopic, AUDIO_MESSAGE_VERSION, type AnalysisTopic } from '@adit/contracts';
import type { OutboxMessage } from '@adit/outbox';

/** Job that a request belongs to. */
interface OfJob {
  jobId: string;
  traceparent: string | null;
  /** True when it has analyses of audio, see `listensOf`. */
  listens?: boolean;
}

/** SQL: true when the job that a column or parameter names has analyses of audio. */
export function listensOf(jobId: string): string {
  return `EXISTS (SELECT 1 FROM job_analyses heard WHERE heard.job_id = ${jobId} AND jsonb_typeof(heard.audio) = 'array')`;
}

/** Topic of requests with audio: older processes would take it for pictures. */
function versionOf({ listens }: OfJob): { version?: number } {
  return listens === true ? { version: AUDIO_MESSAGE_VERSION } : {};
}

/** Message that requests a source to be opened. */
export function sourceRequest(job: OfJob, sourceIndex: number): OutboxMessage<'sources.requested'> {
  const { jobId, traceparent } = job;
  const key = `${jobId}/${sourceIndex}`;
  return { topic: 'sources.requested', key, jobId, traceparent, ...versionOf(job), payload: { sourceIndex } };
}

/** Message that requests a chunk to be decoded. Chunks of one film go to the same process, which keeps it open. */
export function chunkRequest(
  job: OfJob,
  { id: chunkId, sourceStart }: { id: string; sourceStart: number },
): OutboxMessage<'chunks.requested'> {
  const { jobId, traceparent } = job;
  const key = `${jobId}/${sourceStart}`;
  return { topic: 'chunks.requested', key, jobId, traceparent, ...versionOf(job), payload: { chunkId } };
}

/** Message that requests one analysis of a chunk. A `key` other than the chunk's gives it to another process. */
export function analysisRequest(
  { jobId, traceparent }: OfJob,
  { chunkId, analysis, digest }: { chunkId: string; analysis: string; digest: string },
  key = chunkId,
): OutboxMessage<AnalysisTopic> {
  return { topic: analysisTopic(analysis), key, jobId, traceparent, payload: { chunkId, analysisDigest: digest } };
}
