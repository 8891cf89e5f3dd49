import { analysisTopic, AUDIO_MESSAGE_VERSION, type AnalysisTopic } from '@adit/contracts';
import type { OutboxMessage } from '@adit/outbox';

/** The job that a request belongs to. */
interface OfJob {
  jobId: string;
  traceparent: string | null;
  /** Whether it has analyses of sound, as `listensOf` says. */
  listens?: boolean;
}

/** SQL: whether the job that a column or parameter names has analyses of sound. */
export function listensOf(jobId: string): string {
  return `EXISTS (SELECT 1 FROM job_analyses heard WHERE heard.job_id = ${jobId} AND jsonb_typeof(heard.audio) = 'array')`;
}

/** Older processes would take sound for pictures. */
function versionOf({ listens }: OfJob): { version?: number } {
  return listens === true ? { version: AUDIO_MESSAGE_VERSION } : {};
}

/** The message that asks for a source to be opened. */
export function sourceRequest(job: OfJob, sourceIndex: number): OutboxMessage<'sources.requested'> {
  const { jobId, traceparent } = job;
  const key = `${jobId}/${sourceIndex}`;
  return { topic: 'sources.requested', key, jobId, traceparent, ...versionOf(job), payload: { sourceIndex } };
}

/** The message that asks for a chunk to be decoded. Those of one film go to the same process, which keeps it open. */
export function chunkRequest(
  job: OfJob,
  { id: chunkId, sourceStart }: { id: string; sourceStart: number },
): OutboxMessage<'chunks.requested'> {
  const { jobId, traceparent } = job;
  const key = `${jobId}/${sourceStart}`;
  return { topic: 'chunks.requested', key, jobId, traceparent, ...versionOf(job), payload: { chunkId } };
}

/** The message that asks for one analysis of a chunk. Another `key` than the chunk's gives it to another process. */
export function analysisRequest(
  { jobId, traceparent }: OfJob,
  { chunkId, analysis, digest }: { chunkId: string; analysis: string; digest: string },
  key = chunkId,
): OutboxMessage<AnalysisTopic> {
  return { topic: analysisTopic(analysis), key, jobId, traceparent, payload: { chunkId, analysisDigest: digest } };
}
