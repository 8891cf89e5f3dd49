import { AditError } from '@adit/contracts';
import { setting } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** What services that store files for clients are told. */
export const StorageSettings = z.object({
  storageBytes: setting(
    'ADIT_STORAGE_BYTES',
    z.int().min(0).default(0),
    'Bytes that the files and transcripts of one workspace may have together; a workspace can have a number of its own. 0 is no limit.',
  ),
  diskUseMinutes: setting(
    'ADIT_DISK_USE_MINUTES',
    z.number().min(5).max(10_080).default(60),
    'Minutes between two looks at what takes room (GET /v1/disk-use/); more where the object store has so much that a look takes long.',
  ),
});
export type StorageSettings = z.infer<typeof StorageSettings>;

/** What the files and transcripts of a workspace may have, and have; uploads under way count with what they announced. */
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

/** SQL: bytes of transcripts `t`, in all variants and versions. */
const OF_TRANSCRIPT =
  'coalesce(t.bytes, (SELECT sum(v.bytes) FROM transcript_variants v WHERE v.transcript_id = t.id AND v.time_deleted IS NULL), 0)';

/** Bytes that the files and transcripts of workspaces have; one without is left out. */
export async function storageUsed(manager: EntityManager, workspaceIds: string[]): Promise<Map<string, number>> {
  const rows: { id: string; used: string | null }[] = await manager.query(
    `SELECT id, sum(bytes) AS used FROM (
       SELECT workspace_id AS id, CASE WHEN uploaded THEN coalesce(size, 0) ELSE coalesce(upload_length, 0) END AS bytes
         FROM storage_entries WHERE workspace_id = ANY($1::uuid[]) AND NOT is_folder AND NOT upload_failed
       UNION ALL
       SELECT t.workspace_id, ${OF_TRANSCRIPT} FROM transcripts t
        WHERE t.workspace_id = ANY($1::uuid[]) AND t.time_deleted IS NULL) held
      GROUP BY id`,
    [workspaceIds],
  );
  return new Map(rows.map(({ id, used }) => [id, Number(used ?? 0)]));
}

/** Those of the transcripts of a workspace alone. */
export async function transcriptsUsed(manager: EntityManager, workspaceId: string): Promise<number> {
  const [row]: { used: string | null }[] = await manager.query(
    `SELECT sum(${OF_TRANSCRIPT}) AS used FROM transcripts t WHERE t.workspace_id = $1 AND t.time_deleted IS NULL`,
    [workspaceId],
  );
  return Number(row?.used ?? 0);
}

/** Bytes that still may come; Infinity without a limit. Below zero after a limit was lowered. */
export function leftOf({ limit, used }: StorageRoom): number {
  return limit === null ? Infinity : limit - used;
}

/** `pointer` is where in the request it is that has no room. */
export function storageFull({ limit, used }: StorageRoom, pointer = '/file'): AditError {
  const left = Math.max(0, (limit ?? 0) - used);
  const message = `The files and transcripts of this workspace may have ${limit} bytes together; ${left} are left.`;
  return new AditError('STORAGE_FULL', message, { errors: [{ pointer, code: 'storage_full', message }] });
}
