/** Statements that write the table `media`: facts about the files that jobs have mined, until they expire. */
import { randomUUID } from 'node:crypto';
import { AditError, type AudioInterval } from '@adit/contracts';
import { MediaEntity, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import { IsNull, type DataSource } from 'typeorm';
import { cacheExpiry, mediaInUse } from './observation-cache.js';

/** Rows that go with their workspace. */
export const MEDIA_ROWS: readonly RowsOfWorkspace[] = ['media', 'observations'].map((table) =>
  rowsOfWorkspace(table, { kind: table }),
);

type MediaKey = Pick<MediaEntity, 'workspaceId' | 'digest'>;
/** Media that is used again within this time is not updated again. */
const TOUCH_PERIOD_MS = 3_600_000;

/** Returns the object folder of the media; two processes that probe the same file share one. */
export async function noteMedia(
  db: DataSource,
  { workspaceId, digest, facts, grid }: MediaKey & Pick<MediaEntity, 'facts' | 'grid'>,
): Promise<string> {
  const [row]: { generation: string }[] = await db.query(
    `INSERT INTO media AS m (workspace_id, digest, facts, grid, generation, time_expires)
     VALUES ($1, $2, $3::jsonb, $4::jsonb, $5, $6)
     ON CONFLICT (workspace_id, digest) DO UPDATE SET facts = excluded.facts, grid = excluded.grid,
       time_expires = excluded.time_expires, generation = coalesce(m.generation, excluded.generation)
     RETURNING generation`,
    [
      workspaceId,
      digest,
      JSON.stringify(facts),
      grid === null ? null : JSON.stringify(grid),
      randomUUID(),
      cacheExpiry(),
    ],
  );
  if (!row) throw new AditError('INTERNAL', `The media ${digest} could not be stored.`);
  return row.generation;
}

export async function setFrameIndex(
  db: DataSource,
  { workspaceId, digest, generation }: MediaKey & { generation: string },
  indexKey: string,
): Promise<void> {
  await db.manager.update(MediaEntity, { workspaceId, digest, generation }, { indexKey });
}

export async function setAudioGrid(
  db: DataSource,
  { workspaceId, digest }: MediaKey,
  audioGrid: { decoder: number; intervals: AudioInterval[] },
): Promise<void> {
  await db.manager.update(MediaEntity, { workspaceId, digest }, { audioGrid });
}

/** Extends the expiry of media in use. */
export async function touchMedia(db: DataSource, media: MediaEntity): Promise<void> {
  const { workspaceId, digest, timeExpires, generation } = media;
  // Rows of older builds have no folder of their own.
  const unnamed = { workspaceId, digest, generation: IsNull() };
  if (generation === null) await db.manager.update(MediaEntity, unnamed, { generation: randomUUID() });
  if (timeExpires.getTime() > cacheExpiry().getTime() - TOUCH_PERIOD_MS) return;
  await db.manager.update(MediaEntity, { workspaceId, digest }, { timeExpires: cacheExpiry() });
}

/** Media that expired before `now`, is used by no running job, and has no observations in its folder: at most `limit`. */
export function expiredMedia(db: DataSource, now: Date, limit: number): Promise<MediaEntity[]> {
  return db
    .createQueryBuilder(MediaEntity, 'm')
    .where('m.time_expires < :now', { now })
    .andWhere(`NOT ${mediaInUse('m.workspace_id', 'm.digest')}`)
    .andWhere(
      'NOT EXISTS (SELECT 1 FROM observations o WHERE o.workspace_id = m.workspace_id AND o.media_digest = m.digest)',
    )
    .take(limit)
    .getMany();
}

/** Removes media that is still expired, and notes the removal of its objects. */
export async function removeExpiredMedia(db: DataSource, { workspaceId, digest }: MediaKey, now: Date): Promise<void> {
  await db.query(EXPIRE_MEDIA, [workspaceId, digest, now]);
}

const EXPIRE_MEDIA = `
  WITH gone AS (
    DELETE FROM media WHERE workspace_id = $1 AND digest = $2 AND time_expires < $3
    RETURNING index_key, concat('media/', workspace_id, '/', digest, '/', generation, '/') AS folder, generation)
  ${notedRemovals(
    `SELECT prefix, true, $3::timestamptz FROM gone, unnest(ARRAY[index_key, CASE WHEN generation IS NOT NULL THEN folder END]) prefix
      WHERE prefix IS NOT NULL`,
  )}`;
