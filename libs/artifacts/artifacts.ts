import { ArtifactEntity, returned, rowsOfJob } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import type { EntityManager } from 'typeorm';

/** A file that is written, and not yet the job's or the export's. */
export type NewArtifact = Partial<ArtifactEntity> & Pick<ArtifactEntity, 'objectKey'>;

/** A statement takes 65,535 values. */
const ROWS_AT_ONCE = 1_000;

/** Makes files a job's, in place of those that it had. Returns the keys of those. */
export async function replaceArtifacts(
  manager: EntityManager,
  jobId: string,
  artifacts: readonly NewArtifact[],
): Promise<string[]> {
  const old = returned<{ object_key: string }>(
    await manager.query('DELETE FROM artifacts WHERE job_id = $1 RETURNING object_key', [jobId]),
  );
  for (let at = 0; at < artifacts.length; at += ROWS_AT_ONCE) {
    await manager.insert(ArtifactEntity, artifacts.slice(at, at + ROWS_AT_ONCE));
  }
  return old.map((row) => row.object_key);
}

/** Takes their files from jobs, which stay. Returns the keys. */
export async function removeArtifacts(manager: EntityManager, jobs: readonly string[]): Promise<string[]> {
  const gone = returned<{ object_key: string }>(
    await manager.query('DELETE FROM artifacts WHERE job_id = ANY($1::uuid[]) RETURNING object_key', [jobs]),
  );
  return gone.map((row) => row.object_key);
}

/** Files that are the job's own. */
export const ARTIFACTS_OF_JOB = rowsOfJob('artifacts');

/** Deletes a file whose time is over at `now`, and notes its removal. */
export async function expireArtifact(db: Pick<EntityManager, 'query'>, id: string, now: Date): Promise<void> {
  await db.query(
    `WITH gone AS (DELETE FROM artifacts WHERE id = $1 AND time_expiration < $2 RETURNING object_key)
     ${notedRemovals('SELECT object_key, false, $2::timestamptz FROM gone')}`,
    [id, now],
  );
}
