import type { EntityManager } from 'typeorm';

const DAYS = 30;

/** What a module took for each second of its media. */
export interface UsageRates {
  chunk_seconds: number;
  cpu_model_seconds: number;
  gpu_model_seconds: number;
}

/** The rates of modules over the last 30 days of a workspace; those of which nothing is counted are left out. */
export async function usageRates(
  db: Pick<EntityManager, 'query'>,
  workspaceId: string,
  moduleIds: readonly string[],
): Promise<Map<string, UsageRates>> {
  const rows: ({ moduleId: string } & UsageRates)[] = await db.query(
    `SELECT module_id AS "moduleId", sum(chunk_seconds) / sum(media_seconds) AS chunk_seconds,
            sum(cpu_seconds) / sum(media_seconds) AS cpu_model_seconds, sum(gpu_seconds) / sum(media_seconds) AS gpu_model_seconds
       FROM usage_days
      WHERE workspace_id = $1 AND module_id = ANY($2) AND day > (now() AT TIME ZONE 'UTC')::date - ${DAYS}
      GROUP BY module_id HAVING sum(media_seconds) > 0`,
    [workspaceId, moduleIds],
  );
  return new Map(rows.map(({ moduleId, ...rates }) => [moduleId, rates]));
}
