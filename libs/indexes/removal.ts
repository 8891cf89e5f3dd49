import type { EntityManager } from 'typeorm';

/** Most identities removed per step. */
const STEP = 5_000;

/** Removes some identities of a deleted collection, and its row when none is left. Returns whether it is done. */
export async function removeIdentities(manager: EntityManager, collectionId: string): Promise<boolean> {
  const [{ gone }]: [{ gone: number }] = await manager.query(
    `WITH gone AS (DELETE FROM index_identities WHERE index_id = ANY(ARRAY(
       SELECT index_id FROM index_identities WHERE collection_id = $1 LIMIT $2)) RETURNING 1)
     SELECT count(*)::int AS gone FROM gone`,
    [collectionId, STEP],
  );
  if (gone === STEP) return false;
  await manager.query('DELETE FROM index_collections WHERE id = $1 AND time_deleted IS NOT NULL', [collectionId]);
  return true;
}

/** Continues the removal of deleted collections while `shouldContinue` permits it. */
export async function removeDeletedCollections(
  manager: EntityManager,
  shouldContinue: () => Promise<boolean>,
): Promise<void> {
  const rows: { id: string }[] = await manager.query('SELECT id FROM index_collections WHERE time_deleted IS NOT NULL');
  for (const { id } of rows) {
    do {
      if (!(await shouldContinue())) return;
    } while (!(await removeIdentities(manager, id)));
  }
}
