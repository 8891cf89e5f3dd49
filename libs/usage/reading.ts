import type { UsageGroup } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** Sums of the rows of one group. */
export interface UsageSums {
  workspaceId: string | null;
  day: string | null;
  moduleId: string | null;
  keyId: string | null;
  mediaSeconds: number;
  chunkSeconds: number;
  cpuSeconds: number;
  gpuSeconds: number;
}

const COLUMNS = { workspace: 'workspace_id', day: 'day', module: 'module_id', key: 'key_id' } as const satisfies Record<
  UsageGroup,
  string
>;

/** Returns at most `limit` groups of the days from one to another, both included, of one workspace or of all. */
export function usageOf(
  db: Pick<EntityManager, 'query'>,
  {
    workspaceId,
    from,
    to,
    groupBy,
    limit,
  }: { workspaceId: string | null; from: string; to: string; groupBy: readonly UsageGroup[]; limit: number },
): Promise<UsageSums[]> {
  const grouped = (group: UsageGroup): string => (groupBy.includes(group) ? COLUMNS[group] : 'NULL');
  const columns = groupBy.map((group) => COLUMNS[group]).join(', ');
  return db.query(
    `SELECT ${grouped('workspace')} AS "workspaceId", ${groupBy.includes('day') ? "to_char(day, 'YYYY-MM-DD')" : 'NULL'} AS day,
            ${grouped('module')} AS "moduleId", ${grouped('key')} AS "keyId",
            coalesce(sum(media_seconds), 0)::float8 AS "mediaSeconds", coalesce(sum(chunk_seconds), 0)::float8 AS "chunkSeconds",
            coalesce(sum(cpu_seconds), 0)::float8 AS "cpuSeconds", coalesce(sum(gpu_seconds), 0)::float8 AS "gpuSeconds"
       FROM usage_days
      WHERE ($1::uuid IS NULL OR workspace_id = $1) AND day BETWEEN $2::date AND $3::date
      ${columns === '' ? '' : `GROUP BY ${columns} ORDER BY ${columns}`} LIMIT $4`,
    [workspaceId, from, to, limit],
  );
}
