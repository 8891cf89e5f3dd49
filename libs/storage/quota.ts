import { AditError } from '@adit/contracts';
import { setting } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** What services that store files for clients are told. */
export const StorageSettings = z.object({
  storageBytes: setting(
    'ADIT_STORAGE_BYTES',
    z.int().min(0).default(0),
    'Bytes that the files of one workspace may have together; a workspace can have a number of its own. 0 is no limit.',
  ),
});
export type StorageSettings = z.infer<typeof StorageSettings>;

/** What the files of a workspace may have, and have; uploads under way count with what they announced. */
export interface StorageRoom {
  /** Null: no limit. */
  limit: number | null;
  /** 0 without a limit: nobody counts then. */
  used: number;
}

/** `configured` is the limit of workspaces without one of their own; 0 is none. */
export async function storageRoom(
  manager: EntityManager,
  workspaceId: string,
  configured: number,
): Promise<StorageRoom> {
  const [row]: { limit: string | null }[] = await manager.query(
    'SELECT storage_bytes AS "limit" FROM workspaces WHERE id = $1',
    [workspaceId],
  );
  const limit = Number(row?.limit ?? configured);
  // It is looked at with every upload, and the sum grows with the workspace.
  if (limit === 0) return { limit: null, used: 0 };
  const used = await storageUsed(manager, [workspaceId]);
  return { limit, used: used.get(workspaceId) ?? 0 };
}

/** Bytes that the files of workspaces have; one without files is left out. */
export async function storageUsed(manager: EntityManager, workspaceIds: string[]): Promise<Map<string, number>> {
  const rows: { id: string; used: string | null }[] = await manager.query(
    `SELECT workspace_id AS id, sum(CASE WHEN uploaded THEN coalesce(size, 0) ELSE coalesce(upload_length, 0) END) AS used
       FROM storage_entries WHERE workspace_id = ANY($1::uuid[]) AND NOT is_folder AND NOT upload_failed
      GROUP BY workspace_id`,
    [workspaceIds],
  );
  return new Map(rows.map(({ id, used }) => [id, Number(used ?? 0)]));
}

/** Bytes that still may come; Infinity without a limit. Below zero after a limit was lowered. */
export function leftOf({ limit, used }: StorageRoom): number {
  return limit === null ? Infinity : limit - used;
}

export function storageFull({ limit, used }: StorageRoom): AditError {
  const left = Math.max(0, (limit ?? 0) - used);
  const message = `The files of this workspace may have ${limit} bytes together; ${left} are left.`;
  return new AditError('STORAGE_FULL', message, { errors: [{ pointer: '/file', code: 'storage_full', message }] });
}
