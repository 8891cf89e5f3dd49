import { LIFETIME_SECONDS, type Extent, type Maker, type Unit, type UnitOutcome } from '@adit/contracts';
import { isLive, MediaEntity, ObservationEntity, returned } from '@adit/database';
import { In, IsNull, Not, type DataSource, type EntityManager } from 'typeorm';
import { notedRemovals } from '@adit/object-removals';
import { extentName } from '../keys.js';
import { EXTENT_NAME } from './units.js';

/** Expiry of a row written now. */
export function cacheExpiry(): Date {
  return new Date(Date.now() + LIFETIME_SECONDS.observation * 1000);
}

/** SQL: true while a running job uses the media in whatever way. The parameters are columns. */
export function mediaInUse(workspaceId: string, mediaDigest: string): string {
  return `EXISTS (SELECT 1 FROM job_sources s JOIN jobs j ON j.id = s.job_id
    WHERE s.media_digest = ${mediaDigest} AND j.workspace_id = ${workspaceId}
      AND ${isLive('j')})`;
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

/** Caches fresh observations for later jobs of the workspace, unless their media was erased meanwhile. */
export async function rememberObservations(
  manager: EntityManager,
  workspaceId: string,
  analysisDigest: string,
  units: Unit[],
  outcomes: UnitOutcome[],
): Promise<void> {
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
  if (fresh.length === 0) return;
  // The media's row is locked: an erasure waits, and finds these rows too.
  await manager.query(
    `INSERT INTO observations (workspace_id, media_digest, interval, analysis_digest, object_key, maker, time_expires)
     SELECT $1::uuid, v.digest, v.interval, $2, v.key, v.maker, $3
       FROM unnest($4::text[], $5::text[], $6::text[], $7::jsonb[]) AS v(digest, interval, key, maker)
       JOIN (SELECT digest, generation FROM media WHERE workspace_id = $1::uuid AND digest = ANY($4::text[]) FOR KEY SHARE) m
         ON m.digest = v.digest AND starts_with(v.key, concat('media/', $1::uuid, '/', m.digest, '/', m.generation, '/'))
     ON CONFLICT (workspace_id, media_digest, interval, analysis_digest)
     DO UPDATE SET object_key = excluded.object_key, maker = excluded.maker, time_expires = excluded.time_expires`,
    [
      workspaceId,
      analysisDigest,
      cacheExpiry(),
      fresh.map(({ mediaDigest }) => mediaDigest),
      fresh.map(({ interval }) => interval),
      fresh.map(({ objectKey }) => objectKey),
      fresh.map(({ maker }) => maker),
    ],
  );
}

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

/** Observations that expired before `now` and that no running job needs: at most `limit`. */
export function expiredObservations(db: DataSource, now: Date, limit: number): Promise<ObservationEntity[]> {
  return db
    .createQueryBuilder(ObservationEntity, 'o')
    .where('o.time_expires < :now', { now })
    .andWhere(`NOT ${mediaInUse('o.workspace_id', 'o.media_digest')}`)
    .take(limit)
    .getMany();
}

/** Removes observations that are still expired and unused, and notes the removal of their files. */
export async function removeExpiredObservations(
  db: DataSource,
  { workspaceId, mediaDigest, interval, analysisDigest }: ObservationEntity,
  now: Date,
): Promise<void> {
  // Observations that were made anew since they were found stay, and so does their file.
  await db.query(
    `WITH gone AS (
       DELETE FROM observations WHERE workspace_id = $1 AND media_digest = $2 AND interval = $3
          AND analysis_digest = $4 AND time_expires < $5 AND NOT ${mediaInUse('$1', '$2')} RETURNING object_key)
     ${notedRemovals(`SELECT regexp_replace(object_key, '[^/]*$', ''), false, $5::timestamptz FROM gone`)}`,
    [workspaceId, mediaDigest, interval, analysisDigest, now],
  );
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
