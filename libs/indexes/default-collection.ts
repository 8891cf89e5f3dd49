import { randomUUID } from 'node:crypto';
import { DEFAULT_COLLECTION } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** Creates the default collection on first use, so that every workspace has it from the start. */
export async function ensureDefaultCollection(manager: EntityManager, workspaceId: string): Promise<void> {
  const found: unknown[] = await manager.query(
    'SELECT 1 FROM index_collections WHERE workspace_id = $1 AND name = $2 AND time_deleted IS NULL',
    [workspaceId, DEFAULT_COLLECTION],
  );
  if (found.length > 0) return;
  await manager.query(
    `INSERT INTO index_collections (id, workspace_id, name) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, name) WHERE time_deleted IS NULL DO NOTHING`,
    [randomUUID(), workspaceId, DEFAULT_COLLECTION],
  );
}
