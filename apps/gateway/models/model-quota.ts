import { refuseBeyond } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Names of the models that a workspace has of its own, or is about to have, unless `$3` is one of them. */
const NAMES = `
  WITH own AS (
    SELECT name FROM models m
     WHERE m.workspace_id = $1
       AND EXISTS (SELECT 1 FROM model_versions v WHERE v.model_id = m.id AND v.manifest IS NOT NULL AND v.time_retired IS NULL)
    UNION
    SELECT model_name FROM trainings WHERE workspace_id = $1 AND state IN ('waiting', 'processing'))
  SELECT 1 FROM own WHERE NOT EXISTS (SELECT 1 FROM own WHERE name = $3)`;

/** Throws CONFLICT when a workspace has `most` models, and this would be one more. Another version of a model does not count. */
export function refuseMoreModels(
  manager: EntityManager,
  workspaceId: string,
  { name, most }: { name: string; most: number },
): Promise<void> {
  return refuseBeyond(manager, {
    kind: 'models',
    ownerId: workspaceId,
    most,
    rows: NAMES,
    values: [name],
    message: `A workspace has at most ${most} models of its own; delete one, or add a version to one that is there.`,
  });
}
