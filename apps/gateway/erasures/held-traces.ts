import type { AditError, ErasureSubject } from '@adit/contracts';
import { heldBack, lockHeldTags } from '@adit/database';
import type { EntityManager } from 'typeorm';
import { DIGESTS_OF_FILE, erasedFile, OF_FILE } from './file-traces.js';

/** SQL: a job `j` of the workspace `$1` with one of the tags `$3`. */
const HELD = `j.workspace_id = $1 AND j.time_deleted IS NULL AND j.tag = ANY($3::text[])`;

/**
 * Returns the error that names a job under a legal hold which shows the person, has mined the file, or has mined the same
 * media from elsewhere; null where there is none. No hold is set before the caller's transaction ends. Classes belong to no job.
 */
export async function holdInTheWay(
  manager: EntityManager,
  workspaceId: string,
  subject: ErasureSubject,
): Promise<AditError | null> {
  const tags = [...(await lockHeldTags(manager, workspaceId))];
  if (tags.length === 0) return null;
  const [job]: { id: string; tag: string }[] = await heldJobs(manager, workspaceId, subject, tags);
  return job === undefined
    ? null
    : heldBack(`The job ${job.id}, of which the erasure would remove something,`, job.tag);
}

function heldJobs(
  manager: EntityManager,
  workspaceId: string,
  { index_id: indexId, merged = [], file_uri: uri }: ErasureSubject,
  tags: string[],
): Promise<{ id: string; tag: string }[]> {
  if (indexId !== undefined) {
    const jobs = 'SELECT g.job_id FROM segments g WHERE g.index_id = ANY($2::text[])';
    const digests = `
      SELECT o.media_digest FROM segments g JOIN jobs k ON k.id = g.job_id AND k.workspace_id = $1
        JOIN job_sources o ON o.job_id = g.job_id AND o.index = g.source_index
       WHERE g.index_id = ANY($2::text[])`;
    return manager.query(heldAmong(jobs, digests), [workspaceId, [indexId, ...merged], tags]);
  }
  if (uri === undefined) return Promise.resolve([]);
  const { kind, key } = erasedFile(uri);
  const jobs = `SELECT s.job_id FROM job_sources s WHERE ${OF_FILE[kind]}`;
  return manager.query(heldAmong(jobs, DIGESTS_OF_FILE[kind]), [workspaceId, key, tags]);
}

/** SQL: a held job among `jobs`, or one that mined media of the `digests`, whatever its address: what is cached of it goes too. */
function heldAmong(jobs: string, digests: string): string {
  return `
    SELECT j.id, j.tag FROM jobs j WHERE j.id IN (${jobs}) AND ${HELD}
    UNION ALL
    SELECT j.id, j.tag FROM job_sources h JOIN jobs j ON j.id = h.job_id WHERE h.media_digest IN (${digests}) AND ${HELD}
    LIMIT 1`;
}
