import { isLive } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Returns a job of the workspace that has not ended and uses any version of the model; null when there is none. */
export async function jobUsingModel(manager: EntityManager, workspaceId: string, name: string): Promise<string | null> {
  const using: { id: string }[] = await manager.query(
    `SELECT j.id FROM jobs j JOIN job_modules m ON m.job_id = j.id
      WHERE j.workspace_id = $1 AND ${isLive('j')}
        AND m.models @> $2::jsonb LIMIT 1`,
    [workspaceId, JSON.stringify([{ name }])],
  );
  return using[0]?.id ?? null;
}
