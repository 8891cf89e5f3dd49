import {
  AditError,
  STORAGE_KINDS,
  STORAGE_QUOTAS,
  type Quotas,
  type StorageKind,
  type StorageQuotaName,
} from '@adit/contracts';
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

/** A quota in bytes, and its use. Uploads in progress count with their announced length. */
export interface StorageQuota {
  /** `storage_bytes`: of the workspace's files, transcripts and recordings together. */
  quota: StorageQuotaName | 'storage_bytes';
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

/**
 * The quota that leaves the least for bytes of a kind: that of the kind, or that of all together. `configured` is the limit of all
 * for workspaces without one of their own; 0 is none.
 */
export async function storageQuota(
  manager: EntityManager,
  workspaceId: string,
  kind: StorageKind,
  configured: number,
): Promise<StorageQuota> {
  const quotas = await limitedQuotas(manager, workspaceId, [kind], configured);
  const none: StorageQuota = { quota: 'storage_bytes', limit: null, used: 0 };
  return quotas.reduce((least, quota) => (leftOf(quota) < leftOf(least) ? quota : least), none);
}

/** All quotas in bytes that a workspace has. */
export function storageQuotas(
  manager: EntityManager,
  workspaceId: string,
  configured: number,
): Promise<StorageQuota[]> {
  return limitedQuotas(manager, workspaceId, STORAGE_KINDS, configured);
}

/** The quotas of all bytes together, and of some kinds; those without a limit are left out. */
async function limitedQuotas(
  manager: EntityManager,
  workspaceId: string,
  kinds: readonly StorageKind[],
  configured: number,
): Promise<StorageQuota[]> {
  const [row]: { all: string | null; quotas: Quotas }[] = await manager.query(
    'SELECT storage_bytes AS "all", quotas FROM workspaces WHERE id = $1',
    [workspaceId],
  );
  const own = kinds.map((kind) => ({
    quota: STORAGE_QUOTAS[kind],
    limit: row?.quotas[STORAGE_QUOTAS[kind]],
    of: [kind],
  }));
  const all = {
    quota: 'storage_bytes' as const,
    limit: Number(row?.all ?? configured) || undefined,
    of: STORAGE_KINDS,
  };
  const limited = [all, ...own].flatMap(({ limit, ...quota }) => (limit === undefined ? [] : [{ ...quota, limit }]));
  // Read with every upload, and the sums cost more the larger the workspace is.
  if (limited.length === 0) return [];
  const used = await storageUsedByKind(manager, workspaceId);
  const usedOf = (kinds: readonly StorageKind[]): number => kinds.reduce((sum, kind) => sum + used[kind], 0);
  return limited.map(({ of, ...quota }) => ({ ...quota, used: usedOf(of) }));
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
): Promise<Record<StorageKind, number>> {
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

/** What each quota is of, as messages say it. */
const WORDS: Record<StorageQuota['quota'], (bytes: number | null) => string> = {
  storage_bytes: (bytes) => `The files, transcripts and recordings of this workspace may have ${bytes} bytes together`,
  upload_bytes: (bytes) => `The uploaded files of this workspace may have ${bytes} bytes (upload_bytes)`,
  transcript_bytes: (bytes) => `The transcripts of this workspace may have ${bytes} bytes (transcript_bytes)`,
  recording_bytes: (bytes) => `The recordings of this workspace may have ${bytes} bytes (recording_bytes)`,
};

/** `pointer`: the part of the request that exceeds the quota. */
export function storageFull({ quota, limit, used }: StorageQuota, pointer = '/file'): AditError {
  const left = Math.max(0, (limit ?? 0) - used);
  const message = `${WORDS[quota](limit)}; ${left} are left.`;
  return new AditError('STORAGE_FULL', message, { errors: [{ pointer, code: 'storage_full', message }] });
}
