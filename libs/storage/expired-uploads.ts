import { inTransaction, StorageEntryEntity } from '@adit/database';
import { In, type DataSource } from 'typeorm';
import { filesInUse } from './files-in-use.js';
import type { FileRemovals } from './removals.js';
import { lockTree } from './tree.js';

/** Position in the files of a workspace, the oldest first. */
export interface UploadPosition {
  id: number;
  /** Time of its upload with all its digits. */
  uploaded: string;
}

/** Returns at most `limit` files that were uploaded before a time, behind a position; folders stay. */
export function uploadsBefore(
  db: DataSource,
  {
    workspaceId,
    before,
    after,
    limit,
  }: { workspaceId: string; before: Date; after: UploadPosition | null; limit: number },
): Promise<(UploadPosition & { name: string })[]> {
  return db.query(
    `SELECT id, name, time_uploaded::text AS uploaded FROM storage_entries
      WHERE workspace_id = $1 AND uploaded AND NOT is_folder AND time_uploaded < $2
        AND (time_uploaded, id) > ($3::timestamptz, $4::int)
      ORDER BY time_uploaded, id LIMIT $5`,
    [workspaceId, before, after?.uploaded ?? '-infinity', after?.id ?? 0, limit],
  );
}

/**
 * Deletes files of a workspace, other than those that a job, a legal hold or a dataset still needs. Returns their number;
 * call `drain` afterwards. The lock of the tree lets nobody set a hold meanwhile.
 */
export function expireUploads(
  db: DataSource,
  removals: FileRemovals,
  workspaceId: string,
  ids: readonly number[],
): Promise<number> {
  return inTransaction(db, async (manager) => {
    await lockTree(manager, workspaceId);
    const files = await manager.findBy(StorageEntryEntity, { workspaceId, id: In(ids), uploaded: true });
    const keys = files.flatMap(({ key }) => key ?? []);
    const used = new Set((await filesInUse(manager, workspaceId, keys)).map(({ key }) => key));
    const unused = files.filter(({ key }) => key !== null && !used.has(key));
    await removals.note(manager, unused);
    return unused.length;
  });
}
