import type { Unit, UnitOutcome } from '@adit/contracts';
import { MediaEntity, ObservationEntity, type JobEntity } from '@adit/database';
import { In, type EntityManager } from 'typeorm';
import { intervalName, mediaPrefix } from './keys.js';

export const CACHE_LIFETIME_SECONDS = 7 * 24 * 3600;

/** The end of the lifetime of something written now. */
export function cacheExpiry(): Date {
  return new Date(Date.now() + CACHE_LIFETIME_SECONDS * 1000);
}

/** Keys of the observations that are known already, by `knownKey` of unit and analysis. */
export async function knownObservations(
  manager: EntityManager,
  workspaceId: string,
  mediaDigests: string[],
  analysisDigests: string[],
): Promise<Map<string, string>> {
  if (mediaDigests.length === 0 || analysisDigests.length === 0) return new Map();
  const rows: { key: string; object_key: string }[] = await manager.query(
    `SELECT concat_ws('/', o.media_digest, o.interval, o.analysis_digest) AS key, o.object_key
       FROM observations o JOIN workspaces w ON w.id = o.workspace_id AND w.observation_cache
      WHERE o.workspace_id = $1 AND o.media_digest = ANY($2::text[]) AND o.analysis_digest = ANY($3::text[])
        AND o.time_expires > now()`,
    [workspaceId, mediaDigests, analysisDigests],
  );
  return new Map(rows.map(({ key, object_key }) => [key, object_key]));
}

export function knownKey(unit: Pick<Unit, 'mediaDigest' | 'interval'>, analysisDigest: string): string {
  return `${unit.mediaDigest}/${intervalName(unit.interval)}/${analysisDigest}`;
}

/** Makes fresh observations known to later jobs of the workspace. */
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
      workspaceId,
      mediaDigest: unit.mediaDigest,
      interval: intervalName(unit.interval),
      analysisDigest,
      objectKey: outcome.observations,
      timeExpires: cacheExpiry(),
    };
  });
  if (rows.length > 0) await manager.upsert(ObservationEntity, distinctBy(rows), primaryKey);
}

const primaryKey = ['workspaceId', 'mediaDigest', 'interval', 'analysisDigest'];

/** One statement may not touch a row twice: the same picture can stand in a batch several times. */
function distinctBy<T extends { mediaDigest: string; interval: string }>(rows: T[]): T[] {
  return [...new Map(rows.map((row) => [`${row.mediaDigest}/${row.interval}`, row])).values()];
}

/**
 * Forgets what was observed in media that no other live job of the workspace uses. Returns the prefixes to remove from
 * the object store once the transaction has committed.
 */
export async function eraseUnusedObservations(manager: EntityManager, job: JobEntity): Promise<string[]> {
  const rows: { media_digest: string }[] = await manager.query(
    `SELECT DISTINCT s.media_digest FROM job_sources s
      WHERE s.job_id = $1 AND s.media_digest IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM job_sources o JOIN jobs j ON j.id = o.job_id
         WHERE o.media_digest = s.media_digest AND o.job_id <> s.job_id
           AND j.workspace_id = $2 AND j.time_deleted IS NULL)`,
    [job.id, job.workspaceId],
  );
  const digests = rows.map((row) => row.media_digest);
  if (digests.length === 0) return [];
  await manager.delete(ObservationEntity, { workspaceId: job.workspaceId, mediaDigest: In(digests) });
  await manager.delete(MediaEntity, { workspaceId: job.workspaceId, digest: In(digests) });
  return digests.map((digest) => mediaPrefix(job.workspaceId, digest));
}
