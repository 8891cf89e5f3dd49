import { AditError } from '@adit/contracts';
import { setting } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Settings of services that store files for clients. */
export const StorageSettings = z.object({
  storageBytes: setting(
    'ADIT_STORAGE_BYTES',
    z.int().min(0).default(0),
    'Bytes that the files, transcripts and recordings of one workspace may have together; a workspace can have a number of its own. 0 is no limit.',
  ),
  diskUseMinutes: setting(
    'ADIT_DISK_USE_MINUTES',
    z.number().min(5).max(10_080).default(60),
    'Minutes between two looks at what takes room (GET /v1/disk-use/); more where the object store has so much that a look takes long.',
  ),
});
export type StorageSettings = z.infer<typeof StorageSettings>;

/** Quota of a workspace's files, transcripts and recordings in bytes, and its use. Uploads in progress count with their announced length. */
export interface StorageQuota {
  /** Null: no limit. */
  limit: number | null;
  /** 0 without a limit: nobody counts then. */
  used: number;
}

/** Bytes that a workspace may store; null: no limit. `configured` is the limit of those without one of their own; 0 is none. */
export async function storageLimit(
  manager: EntityManager,
  workspaceId: string,
  configured: number,
): Promise<number | null> {
  const [row]: { limit: string | null }[] = await manager.query(
    'SELECT storage_bytes AS "limit" FROM workspaces WHERE id = $1',
    [workspaceId],
  );
  return Number(row?.limit ?? configured) || null;
}

/** `configured` is the limit of workspaces without one of their own; 0 is none. */
export async function storageQuota(
  manager: EntityManager,
  workspaceId: string,
  configured: number,
): Promise<StorageQuota> {
  const limit = await storageLimit(manager, workspaceId, configured);
  // Read with every upload, and the sum costs more the larger the workspace is.
  if (limit === null) return { limit, used: 0 };
  const used = await storageUsed(manager, [workspaceId]);
  return { limit, used: used.get(workspaceId) ?? 0 };
}

/** SQL: bytes of transcripts `t`, in all variants and versions. */
const OF_TRANSCRIPT =
  'coalesce(t.bytes, (SELECT sum(v.bytes) FROM transcript_variants v WHERE v.transcript_id = t.id AND v.time_deleted IS NULL), 0)';

/** SQL: bytes of workspaces `$1` by `kind`. */
const HELD = `
  SELECT 'uploads' AS kind, workspace_id AS id,
         CASE WHEN uploaded THEN coalesce(size, 0) ELSE coalesce(upload_length, 0) END AS bytes
    FROM storage_entries WHERE workspace_id = ANY($1::uuid[]) AND NOT is_folder AND NOT upload_failed
  UNION ALL
  SELECT 'transcripts', t.workspace_id, ${OF_TRANSCRIPT} FROM transcripts t
   WHERE t.workspace_id = ANY($1::uuid[]) AND t.time_deleted IS NULL
  UNION ALL
  SELECT 'recordings', r.workspace_id, r.bytes FROM recording_segments r WHERE r.workspace_id = ANY($1::uuid[])`;

/** Bytes that the files, transcripts and recordings of workspaces have; one without is left out. */
export async function storageUsed(manager: EntityManager, workspaceIds: string[]): Promise<Map<string, number>> {
  const rows: { id: string; used: string | null }[] = await manager.query(
    `SELECT id, sum(bytes) AS used FROM (${HELD}) held GROUP BY id`,
    [workspaceIds],
  );
  return new Map(rows.map(({ id, used }) => [id, Number(used ?? 0)]));
}

/** The same of one workspace, each apart. */
export async function storageUsedByKind(
  manager: EntityManager,
  workspaceId: string,
): Promise<{ uploads: number; transcripts: number; recordings: number }> {
  const rows: { kind: string; used: string | null }[] = await manager.query(
    `SELECT kind, sum(bytes) AS used FROM (${HELD}) held GROUP BY kind`,
    [[workspaceId]],
  );
  const bytesOf = (kind: string): number => Number(rows.find((row) => row.kind === kind)?.used ?? 0);
  return { uploads: bytesOf('uploads'), transcripts: bytesOf('transcripts'), recordings: bytesOf('recordings') };
}

/** Bytes of the transcripts of a workspace. */
export async function transcriptsUsed(manager: EntityManager, workspaceId: string): Promise<number> {
  const [row]: { used: string | null }[] = await manager.query(
    `SELECT sum(${OF_TRANSCRIPT}) AS used FROM transcripts t WHERE t.workspace_id = $1 AND t.time_deleted IS NULL`,
    [workspaceId],
  );
  return Number(row?.used ?? 0);
}

/** Remaining bytes; Infinity without a limit, negative after a limit was lowered. */
export function leftOf({ limit, used }: StorageQuota): number {
  return limit === null ? Infinity : limit - used;
}

/** `pointer`: the part of the request that exceeds the quota. */
export function storageFull({ limit, used }: StorageQuota, pointer = '/file'): AditError {
  const left = Math.max(0, (limit ?? 0) - used);
  const message = `The files, transcripts and recordings of this workspace may have ${limit} bytes together; ${left} are left.`;
  return new AditError('STORAGE_FULL', message, { errors: [{ pointer, code: 'storage_full', message }] });
}
