import type { EntityManager } from 'typeorm';

/**
 * Deletes at most `limit` rows of a deleted job. Answers how many were found, none when there is no room for any; those that
 * somebody changed meanwhile have not gone.
 */
export type RowsOfJob = (
  manager: EntityManager,
  jobId: string,
  limit: number,
) => Promise<{ found: number; gone: number }>;

/** The deletion of a table's rows by their `job_id`; the package that writes the table makes it. */
export function rowsOfJob(table: string): RowsOfJob {
  return async (manager, jobId, limit) => {
    if (limit === 0) return { found: 0, gone: 0 };
    const [counts]: [{ found: number; gone: number }] = await manager.query(
      `WITH found AS MATERIALIZED (SELECT ctid FROM ${table} WHERE job_id = $1 LIMIT $2),
       gone AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM found)) RETURNING 1)
       SELECT (SELECT count(*)::int FROM found) AS found, (SELECT count(*)::int FROM gone) AS gone`,
      [jobId, limit],
    );
    return counts;
  };
}
