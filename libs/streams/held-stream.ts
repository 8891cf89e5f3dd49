/** What the recorder of a stream writes while it holds the lease. A recorder that was overtaken writes nothing. */
import { elementAt, isoTimeOrNull, type StreamGap } from '@adit/contracts';
import type { StreamGapEntity } from '@adit/database';
import { isHeld, updateHeld } from '@adit/leases';
import { enqueue } from '@adit/outbox';
import { raiseResourceEvents } from '@adit/webhooks';
import type { EntityManager } from 'typeorm';
import { streamGaps } from './metrics.js';
import { lockPart } from './parts.js';
import type { ClaimedStream, StreamPosition } from './stream-claims.js';

/** Gaps of a stream that are kept; the oldest go first. */
export const MAX_STREAM_GAPS = 10_000;
/** Characters of a reason. */
const MAX_REASON = 500;

export type NewGap = Pick<StreamGapEntity, 'timeFrom' | 'timeTo' | 'reason'> & { fromUs: number; toUs: number };

/** Writes how far the stream was read, in the transaction that writes its chunks; false when it is held no more. */
export function writePosition(
  db: EntityManager,
  stream: ClaimedStream,
  position: Omit<StreamPosition, 'soundUs'>,
): Promise<boolean> {
  const { zeroAt, frames, lastUs, nextPosition } = position;
  // The zero of a stream is fixed: times of its segments count from there.
  const set = 'zero_at = coalesce(zero_at, $1::timestamptz), frames = $2, last_us = $3, next_position = $4';
  return updateHeld(db, stream, set, [zeroAt, frames, lastUs, nextPosition]);
}

/** Writes the same for its sound. */
export function writeSoundPosition(
  db: EntityManager,
  stream: ClaimedStream,
  { soundUs, nextPosition }: Pick<StreamPosition, 'soundUs' | 'nextPosition'>,
): Promise<boolean> {
  return updateHeld(db, stream, 'sound_us = $1, next_position = $2', [soundUs, nextPosition]);
}

/**
 * Notes a gap and tells the workspace, in the caller's transaction; false when the stream is held no more. Only the
 * newest gaps are kept.
 */
export async function addGap(manager: EntityManager, stream: ClaimedStream, gap: NewGap): Promise<boolean> {
  if (!(await isHeld(manager, stream))) return false;
  const { key, jobId, workspaceId } = stream;
  const { fromUs, toUs, timeFrom, timeTo } = gap;
  const reason = gap.reason.slice(0, MAX_REASON);
  const rows: { seq: number }[] = await manager.query(
    `INSERT INTO stream_gaps (stream_id, seq, job_id, from_us, to_us, time_from, time_to, reason)
     SELECT $1, coalesce(max(seq), 0) + 1, $2, $3, $4, $5, $6, $7 FROM stream_gaps WHERE stream_id = $1 RETURNING seq`,
    [key.id, jobId, fromUs, toUs, timeFrom, timeTo, reason],
  );
  const { seq } = elementAt(rows, 0);
  await manager.query('DELETE FROM stream_gaps WHERE stream_id = $1 AND seq <= $2', [key.id, seq - MAX_STREAM_GAPS]);
  const shown = presentGap({ seq, fromUs, toUs, timeFrom, timeTo, reason });
  await raiseResourceEvents(manager, { id: key.id, workspaceId, jobId }, [
    { event: 'svc.stream.on_gap', data: { gap: { ...shown, job_id: jobId } } },
  ]);
  streamGaps.inc();
  return true;
}

/**
 * Ends the stream for good; false when it is held no more, or goes on in a later job than the caller knows. The caller
 * ends its job.
 */
export async function endStream(
  manager: EntityManager,
  stream: ClaimedStream,
  state: 'completed' | 'failed',
): Promise<boolean> {
  const part = await lockPart(manager, stream);
  if (part?.jobId !== stream.jobId) return false;
  return updateHeld(manager, stream, 'state = $1, lease_until = NULL', [state]);
}

/**
 * Hands the job over to the scheduler, for a playlist that turned out to be a film: the stream ends and a decoder opens
 * the source. To be called before the job has begun; false when the stream is held no more.
 */
export async function handOverAsFilm(manager: EntityManager, stream: ClaimedStream): Promise<boolean> {
  if (!(await endStream(manager, stream, 'completed'))) return false;
  const { jobId } = stream;
  await enqueue(manager, [{ topic: 'jobs.submitted', key: jobId, jobId, payload: {} }]);
  return true;
}

/** Presents a gap in the API. */
export function presentGap(
  gap: Pick<StreamGapEntity, 'seq' | 'timeFrom' | 'timeTo' | 'reason'> & {
    fromUs: number | string;
    toUs: number | string;
  },
): StreamGap {
  return {
    number: gap.seq,
    time_start: Number(gap.fromUs) / 1e6,
    time_end: Number(gap.toUs) / 1e6,
    time_of_day_start: isoTimeOrNull(gap.timeFrom),
    time_of_day_end: isoTimeOrNull(gap.timeTo),
    reason: gap.reason,
  };
}
