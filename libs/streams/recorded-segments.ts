/** What the recorder of a stream writes of its recording while it holds the lease. */
import { AditError } from '@adit/contracts';
import { isHeld, lockHeldTags } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import { sha256Of } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { lockPart } from './parts.js';
import type { ClaimedStream } from './stream-claims.js';

/** Seconds for which a segment can be had after it has left the playlist: players may be reading it. */
const GRACE_SECONDS = 30;

/** A stored segment that is to be listed. */
export interface NewSegment {
  objectKey: string;
  bytes: number;
  /** Stream time of its first picture. */
  fromUs: number;
  durationUs: number;
  /** Wall clock of its first picture. */
  timeStart: Date;
  /** It does not go on from the segment before. */
  discontinuity: boolean;
  /** The `ftyp` and `moov` that it is played with. */
  header: Buffer;
}

/** Prefix of the segments of a job's recording; like all that lies below the job, they go with it. */
export function recordingPrefix(jobId: string): string {
  return `jobs/${jobId}/recording/`;
}

/** True while the stream is held. Throws UNAVAILABLE when its next part has begun, which the caller is about to hear of. */
async function isHeldPart(manager: EntityManager, stream: ClaimedStream): Promise<boolean> {
  const part = await lockPart(manager, stream);
  if (part === null) return false;
  if (part.jobId === stream.jobId) return true;
  throw new AditError('UNAVAILABLE', `The stream of the job ${stream.jobId} goes on in another job.`);
}

/**
 * Removes the segments that end longer before `endUs` than the stream is recorded; false when it is held no more.
 * Their bytes are noted to be removed. Nothing goes while the job is under a legal hold.
 */
export async function slideRecording(manager: EntityManager, stream: ClaimedStream, endUs: number): Promise<boolean> {
  if (!(await isHeldPart(manager, stream))) return false;
  await lockHeldTags(manager, stream.workspaceId);
  const keptUs = ((stream.recordSeconds ?? 0) + GRACE_SECONDS) * 1e6;
  await manager.query(
    `WITH gone AS (
       DELETE FROM recording_segments s USING jobs j
        WHERE s.job_id = $1 AND s.from_us + s.duration_us < $2 AND j.id = s.job_id AND NOT ${isHeld('j')}
        RETURNING s.object_key)
     ${notedRemovals('SELECT object_key, false, now() FROM gone')}`,
    [stream.jobId, Math.round(endUs - keptUs)],
  );
  return true;
}

/**
 * Lists a segment under the next number; false when the stream is held no more. Listing it again changes nothing. The
 * first one ever has no discontinuity.
 */
export async function addSegment(manager: EntityManager, stream: ClaimedStream, segment: NewSegment): Promise<boolean> {
  if (!(await isHeldPart(manager, stream))) return false;
  const { jobId, workspaceId, key } = stream;
  const { objectKey, bytes, fromUs, durationUs, timeStart, discontinuity, header } = segment;
  const known: unknown[] = await manager.query(
    `SELECT 1 FROM recording_segments s JOIN streams t ON t.id = $1 AND s.job_id = t.job_id AND s.seq = t.record_next - 1
      WHERE s.object_key = $2`,
    [key.id, objectKey],
  );
  if (known.length > 0) return true;
  const digest = sha256Of(header).slice(0, 32);
  // Those of former parameters go once no segment needs them.
  await manager.query(
    `DELETE FROM recording_headers h WHERE h.job_id = $1 AND h.digest <> $2
        AND NOT EXISTS (SELECT 1 FROM recording_segments s WHERE s.job_id = $1 AND s.header = h.digest)`,
    [jobId, digest],
  );
  await manager.query(
    'INSERT INTO recording_headers (job_id, digest, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [jobId, digest, header],
  );
  const values = [key.id, workspaceId, fromUs, durationUs, timeStart, bytes, discontinuity, digest, objectKey];
  await manager.query(
    `WITH next AS (
       UPDATE streams SET record_next = record_next + 1,
              record_breaks = record_breaks + CASE WHEN $7::boolean AND record_next > 0 THEN 1 ELSE 0 END
        WHERE id = $1 RETURNING job_id, record_next - 1 AS seq, record_breaks)
     INSERT INTO recording_segments (job_id, seq, workspace_id, from_us, duration_us, time_start, bytes,
                                     discontinuity, breaks, header, object_key)
     SELECT job_id, seq, $2, $3, $4, $5, $6, $7 AND seq > 0, record_breaks, $8, $9 FROM next`,
    values,
  );
  return true;
}

/** True when a job's recording has a segment. */
export async function isListed(
  db: Pick<EntityManager, 'query'>,
  { jobId, objectKey }: { jobId: string; objectKey: string },
): Promise<boolean> {
  const rows: unknown[] = await db.query('SELECT 1 FROM recording_segments WHERE job_id = $1 AND object_key = $2', [
    ...[jobId, objectKey],
  ]);
  return rows.length > 0;
}

/** Returns the stream time in microseconds up to which the stream is recorded; 0 where nothing of it is. */
export async function recordedUntil(db: Pick<EntityManager, 'query'>, jobId: string): Promise<number> {
  const [row]: { until: string }[] = await db.query(
    'SELECT coalesce(max(from_us + duration_us), 0) AS until FROM recording_segments WHERE job_id = $1',
    [jobId],
  );
  return Number(row?.until ?? 0);
}
