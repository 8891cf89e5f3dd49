import { LIFETIME_SECONDS, type Extent, type Maker, type Unit, type UnitOutcome } from '@adit/contracts';
import {
  HOLD_AHEAD_SECONDS,
  HOLD_SECONDS,
  isActive,
  inTransaction,
  isHeld,
  isLive,
  lockHeldTags,
  MediaEntity,
  NIL_UUID,
  type ObservationEntity,
  retentionSeconds,
  returned,
} from '@adit/database';
import { In, IsNull, Not, type DataSource, type EntityManager } from 'typeorm';
import { notedRemovals } from '@adit/object-removals';
import { outboxColumns, writtenMessages, type OutboxMessage } from '@adit/outbox';
import { extentName } from '../keys.js';
import { EXTENT_NAME } from './units.js';

/** SQL: the row `l` with the retention of cached observations and media of the workspace, in `seconds`. */
export function cacheLifetime(workspaceId: string): string {
  return `(SELECT ${retentionSeconds('observations', workspaceId)} AS seconds) l`;
}

/** SQL: true while a running job uses the media in whatever way. The parameters are columns. */
export function mediaInUse(workspaceId: string, mediaDigest: string): string {
  return `EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
    WHERE s.media_digest = ${mediaDigest} AND j.workspace_id = ${workspaceId}
      AND ${isLive('j')})`;
}

/** SQL: true while a running job uses the media, or one under a legal hold has used it. The parameters are columns. */
export function mediaKept(workspaceId: string, mediaDigest: string): string {
  return usedBy(workspaceId, mediaDigest, `(${isActive('j')} OR ${isHeld('j')})`);
}

/** SQL: true while a running job uses the media. */
export function mediaActive(workspaceId: string, mediaDigest: string): string {
  return usedBy(workspaceId, mediaDigest, isActive('j'));
}

/** SQL: true when a job under a legal hold has used the media. */
export function mediaHeld(workspaceId: string, mediaDigest: string): string {
  return usedBy(workspaceId, mediaDigest, isHeld('j'));
}

/** OFFSET keeps it a look-up for each row: as a join, the planner may read all jobs. */
function usedBy(workspaceId: string, mediaDigest: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
    WHERE s.media_digest = ${mediaDigest} AND j.workspace_id = ${workspaceId} AND j.time_deleted IS NULL
      AND ${condition} OFFSET 0)`;
}

/**
 * SQL: the observations `o` lie in the folder of their media. Those of erased media are removed in steps and no
 * longer count.
 */
export const REMEMBERED = `EXISTS (SELECT 1 FROM media m WHERE m.workspace_id = o.workspace_id AND m.digest = o.media_digest
  AND (m.generation IS NULL OR starts_with(o.object_key, concat('media/', m.workspace_id, '/', m.digest, '/', m.generation, '/'))))`;

/** Cached observations of a unit. */
export type KnownObservations = Pick<UnitOutcome, 'madeBy'> & { observations: string };

/** Cached observations, by `knownKey` of unit and analysis. `extents` bound the rows read. */
export async function knownObservations(
  manager: EntityManager,
  workspaceId: string,
  mediaDigests: string[],
  analysisDigests: string[],
  extents: Extent[] | null = null,
): Promise<Map<string, KnownObservations>> {
  if (mediaDigests.length === 0 || analysisDigests.length === 0) return new Map();
  const rows: { key: string; object_key: string; maker: Maker | null }[] = await manager.query(
    `SELECT concat_ws('/', o.media_digest, o.interval, o.analysis_digest) AS key, o.object_key,
            CASE WHEN o.maker ->> 'of' = o.object_key THEN o.maker - 'of' END AS maker
       FROM observations o JOIN workspaces w ON w.id = o.workspace_id AND w.observation_cache
      WHERE o.workspace_id = $1 AND o.media_digest = ANY($2::text[]) AND o.analysis_digest = ANY($3::text[])
        AND ($4::text[] IS NULL OR o.interval = ANY($4::text[])) AND o.time_expires > now() AND ${REMEMBERED}`,
    [workspaceId, mediaDigests, analysisDigests, extents?.map(extentName) ?? null],
  );
  return new Map(
    rows.map(({ key, object_key: observations, maker }) => [
      key,
      { observations, ...(maker !== null && { madeBy: maker }) },
    ]),
  );
}

export function knownKey(unit: { mediaDigest: string } & Extent, analysisDigest: string): string {
  return `${unit.mediaDigest}/${extentName(unit)}/${analysisDigest}`;
}

/**
 * Locks cached media until the transaction ends, which must record by then who uses it. An erasure that has begun is
 * waited for; a later one waits and finds the media in use.
 */
export async function holdMedia(manager: EntityManager, workspaceId: string, digest: string): Promise<void> {
  await manager.query('SELECT 1 FROM media WHERE workspace_id = $1 AND digest = $2 FOR KEY SHARE', [
    workspaceId,
    digest,
  ]);
}

/**
 * The statement, with its values, that caches fresh observations for later jobs of the workspace, unless their media was erased
 * meanwhile, and writes `messages`. The media's row is locked: an erasure waits, and finds these rows too.
 */
export function rememberedObservations(
  workspaceId: string,
  analysisDigest: string,
  { units, outcomes, messages = [] }: { units: Unit[]; outcomes: UnitOutcome[]; messages?: OutboxMessage[] },
): [string, unknown[]] {
  const rows = outcomes.flatMap((outcome) => {
    const unit = units.find((candidate) => candidate.sourceIndex === outcome.sourceIndex);
    if (unit === undefined || outcome.observations === null) return [];
    return {
      mediaDigest: unit.mediaDigest,
      interval: extentName(unit),
      objectKey: outcome.observations,
      maker: outcome.madeBy ? JSON.stringify({ ...outcome.madeBy, of: outcome.observations }) : null,
    };
  });
  const fresh = distinctBy(rows);
  return [
    REMEMBER,
    [
      workspaceId,
      analysisDigest,
      fresh.map(({ mediaDigest }) => mediaDigest),
      fresh.map(({ interval }) => interval),
      fresh.map(({ objectKey }) => objectKey),
      fresh.map(({ maker }) => maker),
      ...outboxColumns(messages),
    ],
  ];
}

const REMEMBER = `
  WITH remembered AS (
    INSERT INTO observations (workspace_id, media_digest, interval, analysis_digest, object_key, maker, time_expires, lifetime)
    SELECT $1::uuid, v.digest, v.interval, $2, v.key, v.maker, now() + make_interval(secs => l.seconds), l.seconds
      FROM ${cacheLifetime('$1::uuid')}, unnest($3::text[], $4::text[], $5::text[], $6::jsonb[]) AS v(digest, interval, key, maker)
      JOIN (SELECT digest, generation FROM media WHERE workspace_id = $1::uuid AND digest = ANY($3::text[]) FOR KEY SHARE) m
        ON m.digest = v.digest AND starts_with(v.key, concat('media/', $1::uuid, '/', m.digest, '/', m.generation, '/'))
    ON CONFLICT (workspace_id, media_digest, interval, analysis_digest)
    DO UPDATE SET object_key = excluded.object_key, maker = excluded.maker, time_expires = excluded.time_expires, lifetime = excluded.lifetime),
  sent AS (${writtenMessages(`SELECT topic, key, envelope, envelope->>'jobId' FROM unnest($7::text[], $8::text[], $9::jsonb[]) AS m(topic, key, envelope)`)})
  SELECT 1 AS stored`;

/** Removes missing observations of a chunk from the cache, so that no later job finds them. */
export async function forgetObservations(
  manager: EntityManager,
  lost: { jobId: string; workspaceId: string; chunkId: string; digest: string; objectKey: string },
): Promise<void> {
  await manager.query(
    `DELETE FROM observations o USING chunks c, job_sources s
      WHERE c.id = $1 AND s.job_id = $2 AND s.index >= c.source_start AND s.index < c.source_end
        AND o.workspace_id = $3 AND o.media_digest = s.media_digest AND o.interval = ${EXTENT_NAME}
        AND o.analysis_digest = $4 AND o.object_key = $5`,
    [lost.chunkId, lost.jobId, lost.workspaceId, lost.digest, lost.objectKey],
  );
}

/** Position in what is cached of all workspaces, what goes first in front: time with all its digits, and key. */
export type CachePosition = readonly string[];

type DueObservation = Pick<ObservationEntity, 'workspaceId' | 'mediaDigest' | 'interval' | 'analysisDigest'> & {
  time: string;
  isHeld: boolean;
  isUsed: boolean;
};

/**
 * Goes through at most `limit` observations whose time is over, or soon is: removes those that are over at `now` and that no
 * running job needs, and notes the removal of their files; puts off by a day what a legal hold keeps. Returns the number of
 * removed ones, and where to go on; null at the end.
 */
export async function expireObservations(
  db: DataSource,
  { now, after, limit }: { now: Date; after: CachePosition | null; limit: number },
): Promise<{ removed: number; after: CachePosition | null }> {
  const found: DueObservation[] = await db.query(
    `SELECT o.workspace_id AS "workspaceId", o.media_digest AS "mediaDigest", o.interval, o.analysis_digest AS "analysisDigest",
            o.time_expires::text AS time, ${mediaHeld('o.workspace_id', 'o.media_digest')} AS "isHeld",
            ${mediaActive('o.workspace_id', 'o.media_digest')} AS "isUsed"
       FROM (SELECT workspace_id, media_digest, interval, analysis_digest, time_expires FROM observations
              WHERE time_expires < $1::timestamptz + make_interval(secs => ${HOLD_AHEAD_SECONDS})
                AND (time_expires, workspace_id, media_digest, interval, analysis_digest) > ($2::timestamptz, $3::uuid, $4, $5, $6)
              ORDER BY time_expires, workspace_id, media_digest, interval, analysis_digest LIMIT $7) o
      ORDER BY o.time_expires, o.workspace_id, o.media_digest, o.interval, o.analysis_digest`,
    [now, ...(after ?? ['-infinity', NIL_UUID, '', '', '']), limit],
  );
  let removed = 0;
  for (const workspaceId of new Set(found.map((row) => row.workspaceId))) {
    const rows = found.filter((row) => row.workspaceId === workspaceId);
    const held = rows.filter((row) => row.isHeld).map(({ mediaDigest }) => mediaDigest);
    await putOffHeld(db, 'observations', workspaceId, [...new Set(held)], now);
    const free = rows.filter((row) => !row.isHeld && !row.isUsed);
    if (free.length > 0)
      removed += await inTransaction(db, (manager) => removeExpired(manager, workspaceId, free, now));
  }
  const last = found.length < limit ? undefined : found.at(-1);
  if (last === undefined) return { removed, after: null };
  return { removed, after: [last.time, last.workspaceId, last.mediaDigest, last.interval, last.analysisDigest] };
}

/** Puts off by a day what is cached of media of a legal hold and would be over soon. */
export async function putOffHeld(
  db: Pick<EntityManager, 'query'>,
  table: 'observations' | 'media',
  workspaceId: string,
  digests: readonly string[],
  now: Date,
): Promise<void> {
  if (digests.length === 0) return;
  const digest = table === 'media' ? 't.digest' : 't.media_digest';
  await db.query(
    `UPDATE ${table} t SET time_expires = $3::timestamptz + make_interval(secs => ${HOLD_SECONDS})
      WHERE t.workspace_id = $1 AND ${digest} = ANY($2::text[])
        AND t.time_expires < $3::timestamptz + make_interval(secs => ${HOLD_AHEAD_SECONDS}) AND ${mediaHeld('$1', digest)}`,
    [workspaceId, digests, now],
  );
}

async function removeExpired(
  manager: EntityManager,
  workspaceId: string,
  rows: readonly DueObservation[],
  now: Date,
): Promise<number> {
  await lockHeldTags(manager, workspaceId);
  // Observations that were made anew since they were found stay, and so does their file.
  const [row]: { count: number }[] = await manager.query(
    `WITH gone AS (
       DELETE FROM observations o USING unnest($2::text[], $3::text[], $4::text[]) AS v (digest, interval, analysis)
        WHERE o.workspace_id = $1 AND o.media_digest = v.digest AND o.interval = v.interval AND o.analysis_digest = v.analysis
          AND o.time_expires < $5 AND NOT ${mediaKept('$1', 'o.media_digest')} RETURNING o.object_key),
     noted AS (${notedRemovals(`SELECT regexp_replace(object_key, '[^/]*$', ''), false, $5::timestamptz FROM gone`)})
     SELECT count(*)::int AS count FROM gone`,
    [
      workspaceId,
      rows.map(({ mediaDigest }) => mediaDigest),
      rows.map(({ interval }) => interval),
      rows.map(({ analysisDigest }) => analysisDigest),
      now,
    ],
  );
  return row?.count ?? 0;
}

/**
 * Computes the expiry of cached observations of a workspace anew, of at most `limit` behind a position, with its current
 * retention. Returns the next position, or null when all are done. A repetition changes nothing.
 */
export async function restampObservations(
  db: Pick<EntityManager, 'query'>,
  workspaceId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<string[] | null> {
  const rows: { digest: string; interval: string; analysis: string }[] = await db.query(
    `WITH part AS MATERIALIZED (
       SELECT media_digest, interval, analysis_digest FROM observations
        WHERE workspace_id = $1 AND (media_digest, interval, analysis_digest) > ($2, $3, $4)
        ORDER BY media_digest, interval, analysis_digest LIMIT $5
     ), changed AS (
       UPDATE observations o SET lifetime = l.seconds, time_expires = ${restamped('o')} FROM part s, ${cacheLifetime('$1')}
        -- The list lets an index find the rows, whatever the planner expects of the part.
        WHERE o.workspace_id = $1 AND o.media_digest = ANY(ARRAY(SELECT DISTINCT media_digest FROM part))
          AND o.media_digest = s.media_digest AND o.interval = s.interval AND o.analysis_digest = s.analysis_digest
          AND o.lifetime IS DISTINCT FROM l.seconds)
     SELECT media_digest AS digest, interval, analysis_digest AS analysis FROM part
      ORDER BY media_digest, interval, analysis_digest OFFSET $5 - 1`,
    [workspaceId, ...(after ?? ['', '', '']), limit],
  );
  const [last] = rows;
  return last === undefined ? null : [last.digest, last.interval, last.analysis];
}

/** SQL: the expiry of a row of the cache under the alias with `l.seconds` in place of its former retention. */
export function restamped(alias: string): string {
  return `${alias}.time_expires + make_interval(secs => l.seconds - coalesce(${alias}.lifetime, ${LIFETIME_SECONDS.observation}))`;
}

/** Erases all observations of media of a workspace; returns the keys of their files. */
export async function eraseObservations(
  manager: EntityManager,
  workspaceId: string,
  digests: readonly string[],
): Promise<string[]> {
  const gone = returned<{ object_key: string }>(
    await manager.query(
      'DELETE FROM observations WHERE workspace_id = $1 AND media_digest = ANY($2::text[]) RETURNING object_key',
      [workspaceId, digests],
    ),
  );
  return gone.map((row) => row.object_key);
}

/** Object folders of known media, by digest. */
export async function mediaGenerations(
  manager: EntityManager,
  workspaceId: string,
  digests: string[],
): Promise<Map<string, string>> {
  const rows = await manager.find(MediaEntity, {
    where: { workspaceId, digest: In(digests), generation: Not(IsNull()) },
    select: { digest: true, generation: true },
  });
  return new Map(
    rows.flatMap(({ digest, generation }) => (generation === null ? [] : [[digest, generation] as const])),
  );
}

/**
 * Removes duplicates: one statement may not touch a row twice, and the same picture can be in a batch several times.
 */
function distinctBy<T extends { mediaDigest: string; interval: string }>(rows: T[]): T[] {
  return [...new Map(rows.map((row) => [`${row.mediaDigest}/${row.interval}`, row])).values()];
}
