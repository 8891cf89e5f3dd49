/** Statements that write the table `media`: facts about the files that jobs have mined, until they expire. */
import { randomUUID } from 'node:crypto';
import { AditError, type AudioInterval } from '@adit/contracts';
import {
  HOLD_AHEAD_SECONDS,
  inTransaction,
  lockHeldTags,
  MediaEntity,
  NIL_UUID,
  rowsOfWorkspace,
  type RowsOfWorkspace,
} from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import { IsNull, type DataSource, type EntityManager } from 'typeorm';
import {
  cacheLifetime,
  mediaActive,
  mediaHeld,
  mediaKept,
  putOffHeld,
  restamped,
  type CachePosition,
} from './observation-cache.js';

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

type DueMedia = MediaKey & { time: string; isHeld: boolean; isFree: boolean };

/**
 * Goes through at most `limit` media whose time is over, or soon is: puts off by a day what a legal hold keeps. Returns those
 * that are over at `now`, that no running job uses, and that have no observations in their folder; and where to go on, null
 * at the end.
 */
export async function expiredMedia(
  db: DataSource,
  { now, after, limit }: { now: Date; after: CachePosition | null; limit: number },
): Promise<{ due: MediaKey[]; after: CachePosition | null }> {
  const found: DueMedia[] = await db.query(
    `SELECT m.workspace_id AS "workspaceId", m.digest, m.time_expires::text AS time,
            ${mediaHeld('m.workspace_id', 'm.digest')} AS "isHeld",
            m.time_expires < $1 AND NOT ${mediaActive('m.workspace_id', 'm.digest')}
              AND NOT EXISTS (SELECT 1 FROM observations o
                               WHERE o.workspace_id = m.workspace_id AND o.media_digest = m.digest OFFSET 0) AS "isFree"
       FROM (SELECT workspace_id, digest, time_expires FROM media
              WHERE time_expires < $1::timestamptz + make_interval(secs => ${HOLD_AHEAD_SECONDS})
                AND (time_expires, workspace_id, digest) > ($2::timestamptz, $3::uuid, $4)
              ORDER BY time_expires, workspace_id, digest LIMIT $5) m
      ORDER BY m.time_expires, m.workspace_id, m.digest`,
    [now, ...(after ?? ['-infinity', NIL_UUID, '']), limit],
  );
  for (const workspaceId of new Set(found.map((row) => row.workspaceId))) {
    const held = found.filter((row) => row.workspaceId === workspaceId && row.isHeld).map(({ digest }) => digest);
    await putOffHeld(db, 'media', workspaceId, held, now);
  }
  const last = found.length < limit ? undefined : found.at(-1);
  const next = last === undefined ? null : [last.time, last.workspaceId, last.digest];
  return { due: found.filter(({ isHeld, isFree }) => isFree && !isHeld), after: next };
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
       UPDATE media m SET lifetime = l.seconds, time_expires = ${restamped('m')} FROM ${cacheLifetime('$1')}
        WHERE m.workspace_id = $1 AND m.digest = ANY(ARRAY(SELECT digest FROM part)) AND m.lifetime IS DISTINCT FROM l.seconds)
     SELECT max(digest) AS digest FROM part HAVING count(*) = $3`,
    [workspaceId, ...(after ?? ['']), limit],
  );
  const [last] = rows;
  return last === undefined ? null : [last.digest];
}
