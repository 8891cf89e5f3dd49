/** Recordings of live streams as they are read, and how they end. */
import { inTransaction, isHeld, lockHeldTags, retentionSeconds, returned } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import type { DataSource, EntityManager } from 'typeorm';
import type { ListedSegment } from './recording-playlist.js';

type Db = Pick<EntityManager, 'query'>;

/** What is known of a job's recording. */
export interface FoundRecording {
  /** Seconds that are kept. */
  seconds: number;
  secret: string;
  /** Nothing more is recorded. */
  ended: boolean;
}

/** Returns the recording of a job; null where its stream is not recorded. */
export async function findRecording(db: Db, jobId: string): Promise<FoundRecording | null> {
  const rows: FoundRecording[] = await db.query(
    `SELECT record_seconds AS seconds, record_secret AS secret, state IN ('completed', 'failed') AS ended
       FROM streams WHERE job_id = $1 AND record_seconds IS NOT NULL AND record_secret IS NOT NULL LIMIT 1`,
    [jobId],
  );
  return rows[0] ?? null;
}

/** The segments that are listed now, in order: those that reach into the seconds before the end of the newest. */
export async function listedSegments(
  db: Db,
  jobId: string,
  { seconds }: Pick<FoundRecording, 'seconds'>,
): Promise<ListedSegment[]> {
  return db.query(
    `SELECT seq, duration_us AS "durationUs", time_start AS "timeStart", bytes, discontinuity, breaks, header
       FROM recording_segments
      WHERE job_id = $1 AND from_us + duration_us > (
        SELECT max(from_us + duration_us) FROM recording_segments WHERE job_id = $1) - $2::bigint * 1000000
      ORDER BY seq`,
    [jobId, seconds],
  );
}

/** A segment in the object store. */
export interface StoredSegment {
  objectKey: string;
  bytes: number;
}

/** Returns a segment by its number, also for a while after it has left the playlist; null when it is gone. */
export async function findSegment(db: Db, jobId: string, seq: number): Promise<StoredSegment | null> {
  const rows: StoredSegment[] = await db.query(
    'SELECT object_key AS "objectKey", bytes FROM recording_segments WHERE job_id = $1 AND seq = $2',
    [jobId, seq],
  );
  return rows[0] ?? null;
}

/** Returns a header by its digest; null when no segment needs it any more. */
export async function findHeader(db: Db, jobId: string, digest: string): Promise<Buffer | null> {
  const rows: { bytes: Buffer }[] = await db.query(
    'SELECT bytes FROM recording_headers WHERE job_id = $1 AND digest = $2',
    [jobId, digest],
  );
  // The embedded database gives a plain array of bytes.
  return rows[0] === undefined ? null : Buffer.from(rows[0].bytes);
}

/** A recorded segment with its place in the stream. */
export interface PlacedSegment extends StoredSegment {
  fromUs: number;
  durationUs: number;
  /** It does not go on from the segment before. */
  discontinuity: boolean;
  /** Digest of its header. */
  header: string;
}

/** Returns the segments that reach into a time of the stream, in order. */
export async function segmentsWithin(
  db: Db,
  jobId: string,
  { fromUs, toUs }: { fromUs: number; toUs: number },
): Promise<PlacedSegment[]> {
  const rows: (Omit<PlacedSegment, 'fromUs' | 'durationUs'> & { fromUs: string; durationUs: string })[] =
    await db.query(
      `SELECT object_key AS "objectKey", bytes, from_us AS "fromUs", duration_us AS "durationUs", discontinuity, header
         FROM recording_segments WHERE job_id = $1 AND from_us <= $3 AND from_us + duration_us > $2 ORDER BY seq`,
      [jobId, Math.round(fromUs), Math.round(toUs)],
    );
  return rows.map((row) => ({ ...row, fromUs: Number(row.fromUs), durationUs: Number(row.durationUs) }));
}

/** Takes at most `limit` segments from a recording that nobody writes to. Returns the keys of their bytes. */
export async function removeRecorded(manager: EntityManager, jobId: string, limit: number): Promise<string[]> {
  const gone = returned<{ key: string }>(
    await manager.query(
      `DELETE FROM recording_segments WHERE job_id = $1 AND seq IN (
         SELECT seq FROM recording_segments WHERE job_id = $1 ORDER BY seq LIMIT $2)
       RETURNING object_key AS key`,
      [jobId, limit],
    ),
  );
  if (gone.length < limit) await manager.query('DELETE FROM recording_headers WHERE job_id = $1', [jobId]);
  return gone.map(({ key }) => key);
}

/** SQL: the job `j` ended so long before `$1` that its recording is over, and no legal hold keeps it. One that runs again keeps it too. */
const IS_DUE = `j.state IN ('completed', 'stopped', 'failed') AND NOT ${isHeld('j')}
  AND j.time_completed < $1::timestamptz - make_interval(secs => ${retentionSeconds('recordings', 'j.workspace_id')})`;

/** Job of a recording. */
interface RecordedJob {
  jobId: string;
  workspaceId: string;
}

/** Removes some of a recording that is over at `now`, and notes the removal of its bytes; true when more is left. */
export function expireRecording(
  db: DataSource,
  { jobId, workspaceId }: RecordedJob,
  { now, limit }: { now: Date; limit: number },
): Promise<boolean> {
  return inTransaction(db, async (manager) => {
    await lockHeldTags(manager, workspaceId);
    const [row]: { gone: number }[] = await manager.query(
      `WITH due AS MATERIALIZED (
         SELECT s.job_id, s.seq FROM recording_segments s JOIN jobs j ON j.id = s.job_id
          WHERE s.job_id = $2 AND ${IS_DUE} ORDER BY s.seq LIMIT $3
       ), gone AS (
         DELETE FROM recording_segments s USING due d WHERE s.job_id = d.job_id AND s.seq = d.seq RETURNING s.object_key
       ), noted AS (
         ${notedRemovals('SELECT object_key, false, now() FROM gone')}
       ), headers AS (
         DELETE FROM recording_headers h USING jobs j
          WHERE h.job_id = $2 AND j.id = h.job_id AND ${IS_DUE} AND (SELECT count(*) FROM due) < $3)
       SELECT count(*)::int AS gone FROM gone`,
      [now, jobId, limit],
    );
    return row?.gone === limit;
  });
}
