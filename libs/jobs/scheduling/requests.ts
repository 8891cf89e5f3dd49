import { analysisTopic, type AnalysisTopic } from '@adit/contracts';
import type { OutboxMessage } from '@adit/outbox';

/** The job that a request belongs to. */
interface OfJob {
  jobId: string;
  traceparent: string | null;
}

/** The message that asks for a source to be opened. */
export function sourceRequest({ jobId, traceparent }: OfJob, sourceIndex: number): OutboxMessage<'sources.requested'> {
  return { topic: 'sources.requested', key: `${jobId}/${sourceIndex}`, jobId, traceparent, payload: { sourceIndex } };
}

/** The message that asks for a chunk to be decoded. Those of one film go to the same process, which keeps it open. */
export function chunkRequest(
  { jobId, traceparent }: OfJob,
  { id: chunkId, sourceStart }: { id: string; sourceStart: number },
): OutboxMessage<'chunks.requested'> {
  return { topic: 'chunks.requested', key: `${jobId}/${sourceStart}`, jobId, traceparent, payload: { chunkId } };
}

/** The message that asks for one analysis of a chunk. Another `key` than the chunk's gives it to another process. */
export function analysisRequest(
  { jobId, traceparent }: OfJob,
  { chunkId, analysis, digest }: { chunkId: string; analysis: string; digest: string },
  key = chunkId,
): OutboxMessage<AnalysisTopic> {
  return { topic: analysisTopic(analysis), key, jobId, traceparent, payload: { chunkId, analysisDigest: digest } };
}
