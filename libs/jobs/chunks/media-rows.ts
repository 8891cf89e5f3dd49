/** Statements that write the table `media`: facts about the files that jobs have mined, until they expire. */
import { randomUUID } from 'node:crypto';
import { AditError, type AudioInterval } from '@adit/contracts';
import { inTransaction, lockHeldTags, MediaEntity, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import { IsNull, type DataSource, type EntityManager } from 'typeorm';
import { cacheLifetime, mediaKept, restamped } from './observation-cache.js';

/** Rows that go with their workspace. */
export const MEDIA_ROWS: readonly RowsOfWorkspace[] = ['media', 'observations'].map((table) =>
  rowsOfWorkspace(table, { kind: table }),
);

type MediaKey = Pick<MediaEntity, 'workspaceId' | 'digest'>;
/** Media that is used again within this time, or a tenth of its retention, is not updated again. */
const TOUCH_PERIOD_SECONDS = 3_600;

/** Returns the object folder of the media; two processes that probe the same file share one. */
export async function noteMedia(
  db: DataSource,
  { workspaceId, digest, partOf, facts, grid }: MediaKey & Pick<MediaEntity, 'partOf' | 'facts' | 'grid'>,
): Promise<string> {
  const [row]: { generation: string }[] = await db.query(
    `INSERT INTO media AS m (workspace_id, digest, facts, grid, generation, part_of, time_expires, lifetime)
     SELECT $1::uuid, $2, $3::jsonb, $4::jsonb, $5, $6, now() + make_interval(secs => l.seconds), l.seconds
       FROM ${cacheLifetime('$1::uuid')}
     ON CONFLICT (workspace_id, digest) DO UPDATE SET facts = excluded.facts, grid = excluded.grid,
       time_expires = excluded.time_expires, lifetime = excluded.lifetime, generation = coalesce(m.generation, excluded.generation)
     RETURNING generation`,
    [workspaceId, digest, JSON.stringify(facts), grid === null ? null : JSON.stringify(grid), randomUUID(), partOf],
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
  const { workspaceId, digest, generation } = media;
  // Rows of older builds have no folder of their own.
  const unnamed = { workspaceId, digest, generation: IsNull() };
  if (generation === null) await db.manager.update(MediaEntity, unnamed, { generation: randomUUID() });
  await db.query(
    `UPDATE media SET time_expires = now() + make_interval(secs => l.seconds), lifetime = l.seconds FROM ${cacheLifetime('$1')}
      WHERE workspace_id = $1 AND digest = $2
        AND time_expires < now() + make_interval(secs => l.seconds - least($3, l.seconds / 10))`,
    [workspaceId, digest, TOUCH_PERIOD_SECONDS],
  );
}

/** Media that expired before `now`, is kept by neither a running job nor a legal hold, and has no observations in its folder: at most `limit`. */
export function expiredMedia(db: DataSource, now: Date, limit: number): Promise<MediaEntity[]> {
  return db
    .createQueryBuilder(MediaEntity, 'm')
    .where('m.time_expires < :now', { now })
    .andWhere(`NOT ${mediaKept('m.workspace_id', 'm.digest')}`)
    .andWhere(
      'NOT EXISTS (SELECT 1 FROM observations o WHERE o.workspace_id = m.workspace_id AND o.media_digest = m.digest)',
    )
    .take(limit)
    .getMany();
}

/** Removes media that is still expired, and notes the removal of its objects. */
export async function removeExpiredMedia(db: DataSource, { workspaceId, digest }: MediaKey, now: Date): Promise<void> {
  await inTransaction(db, async (manager) => {
    await lockHeldTags(manager, workspaceId);
    await manager.query(EXPIRE_MEDIA, [workspaceId, digest, now]);
  });
}

const EXPIRE_MEDIA = `
  WITH gone AS (
    DELETE FROM media WHERE workspace_id = $1 AND digest = $2 AND time_expires < $3 AND NOT ${mediaKept('$1', '$2')}
    RETURNING index_key, concat('media/', workspace_id, '/', digest, '/', generation, '/') AS folder, generation)
  ${notedRemovals(
    `SELECT prefix, true, $3::timestamptz FROM gone, unnest(ARRAY[index_key, CASE WHEN generation IS NOT NULL THEN folder END]) prefix
      WHERE prefix IS NOT NULL`,
  )}`;

/** The same as `restampObservations`, of facts of media. */
export async function restampMedia(
  db: Pick<EntityManager, 'query'>,
  workspaceId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<string[] | null> {
  const rows: { digest: string }[] = await db.query(
    `WITH part AS MATERIALIZED (
       SELECT digest FROM media WHERE workspace_id = $1 AND digest > $2 ORDER BY digest LIMIT $3
     ), changed AS (
       UPDATE media m SET lifetime = l.seconds, time_expires = ${restamped('m')} FROM part s, ${cacheLifetime('$1')}
        WHERE m.workspace_id = $1 AND m.digest = s.digest AND m.lifetime IS DISTINCT FROM l.seconds)
     SELECT max(digest) AS digest FROM part HAVING count(*) = $3`,
    [workspaceId, ...(after ?? ['']), limit],
  );
  const [last] = rows;
  return last === undefined ? null : [last.digest];
}
