/** Statements that write the table `usage_days`: what analyses took, by workspace, day, module and key. */
import { rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Rows that go with their workspace. */
export const USAGE_ROWS: readonly RowsOfWorkspace[] = [rowsOfWorkspace('usage_days')];

/** Parameters of a statement, in SQL. */
interface CountedAnalysis {
  jobId: string;
  digest: string;
  /** A ChunkUse as JSON; null: nothing is known, as of earlier builds. */
  use: string;
  /** Relation of the statement: ids of the modules for which the length of the media counts now, as `module_id`. */
  carriers: string;
}

/**
 * SQL: adds the use of an analysis of a chunk to the day, in UTC; part of the statement that records its outcome, so that
 * both happen once. `condition` says whether that is so. Modules that share the analysis share its seconds equally.
 */
export function countedUse({ jobId, digest, use, carriers }: CountedAnalysis, condition: string): string {
  return `
    INSERT INTO usage_days AS u (workspace_id, day, module_id, key_id, media_seconds, chunk_seconds, cpu_seconds, gpu_seconds)
    SELECT j.workspace_id, (now() AT TIME ZONE 'UTC')::date, m.module_id, coalesce(j.key_id, ''),
           CASE WHEN m.module_id IN (SELECT module_id FROM ${carriers}) THEN (${use}::jsonb ->> 'media')::float8 ELSE 0 END,
           (${use}::jsonb ->> 'wall')::float8 / count(*) OVER (),
           (${use}::jsonb ->> 'cpu')::float8 / count(*) OVER (),
           (${use}::jsonb ->> 'gpu')::float8 / count(*) OVER ()
      FROM jobs j JOIN job_modules m ON m.job_id = j.id
     WHERE j.id = ${jobId} AND ${use}::jsonb IS NOT NULL AND ${condition}
       AND EXISTS (SELECT 1 FROM jsonb_each_text(m.analyses) n WHERE n.value = ${digest})
     -- In one order, so that no two statements wait for each other.
     ORDER BY m.module_id
    ON CONFLICT (workspace_id, day, module_id, key_id) DO UPDATE SET
      media_seconds = u.media_seconds + excluded.media_seconds, chunk_seconds = u.chunk_seconds + excluded.chunk_seconds,
      cpu_seconds = u.cpu_seconds + excluded.cpu_seconds, gpu_seconds = u.gpu_seconds + excluded.gpu_seconds`;
}

/** Removes at most `limit` rows of days before one, written 2026-11-30. Returns their number. */
export async function forgetUsage(db: Pick<EntityManager, 'query'>, before: string, limit: number): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH gone AS (
       DELETE FROM usage_days WHERE ctid = ANY(ARRAY(SELECT ctid FROM usage_days WHERE day < $1 ORDER BY day LIMIT $2)) RETURNING 1)
     SELECT count(*)::int AS count FROM gone`,
    [before, limit],
  );
  return row?.count ?? 0;
}
