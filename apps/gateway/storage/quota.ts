import { AditError } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** What the files of a workspace may have, and have; uploads under way count with what they announced. */
export interface StorageRoom {
  /** Null: no limit. */
  limit: number | null;
  used: number;
}

/** `configured` is the limit of workspaces without one of their own; 0 is none. */
export async function storageRoom(
  manager: EntityManager,
  workspaceId: string,
  configured: number,
): Promise<StorageRoom> {
  const [row] = await manager.query<{ limit: string | null; used: string | null }[]>(
    `SELECT storage_bytes AS "limit",
            (SELECT sum(CASE WHEN uploaded THEN coalesce(size, 0) ELSE coalesce(upload_length, 0) END)
               FROM storage_entries e WHERE e.workspace_id = w.id AND NOT is_folder AND NOT upload_failed) AS used
       FROM workspaces w WHERE id = $1`,
    [workspaceId],
  );
  const limit = Number(row?.limit ?? configured);
  return { limit: limit === 0 ? null : limit, used: Number(row?.used ?? 0) };
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
