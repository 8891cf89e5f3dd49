import type { AditError } from '@adit/contracts';
import { TranscriptEntity, tooMany } from '@adit/database';
import { leftOf, lockTree, storageFull, storageQuota, transcriptsUsed } from '@adit/storage';
import { IsNull, type EntityManager } from 'typeorm';
import { unknown } from './transcript-reader.js';

/** Quotas of transcripts in bytes. */
export interface TranscriptBounds {
  /** The paragraphs of all versions of a variant. */
  mostBytes: number;
  /** All transcripts of a workspace. */
  workspaceBytes: number;
  /** Its transcripts and files, where it has no number of its own; 0 is no limit. */
  storageBytes: number;
}

/** Remaining bytes of a workspace's transcripts, and the error for a write that needs more. */
export interface TranscriptQuota {
  /** Below zero after a bound was lowered. */
  left: number;
  refusal: AditError;
}

/** The remaining quota now; others may use some of it meanwhile. `written`: bytes that the caller's transaction has already added. */
export async function transcriptQuota(
  manager: EntityManager,
  workspaceId: string,
  { workspaceBytes, storageBytes }: Omit<TranscriptBounds, 'mostBytes'>,
  written = 0,
): Promise<TranscriptQuota> {
  const left = workspaceBytes - (await transcriptsUsed(manager, workspaceId)) + written;
  const quota = await storageQuota(manager, workspaceId, 'transcripts', storageBytes);
  const storage = { ...quota, used: quota.used - written };
  if (leftOf(storage) < left) return { left: leftOf(storage), refusal: storageFull(storage, '') };
  const message =
    `The transcripts of a workspace hold at most ${workspaceBytes} bytes in all variants and versions; ` +
    'delete some of them, or older versions.';
  return { left, refusal: tooMany(message) };
}

/**
 * The last of a write to variants: what their transcript holds is charged to the workspace. Whoever adds to it waits for others
 * who do, so that of two the second sees what the first has left. Throws CONFLICT or STORAGE_FULL when there was no room for what was
 * `added`, and NOT_FOUND when the transcript is being deleted: nothing is written behind its erasure.
 */
export async function charge(
  manager: EntityManager,
  { id, workspaceId }: Pick<TranscriptEntity, 'id' | 'workspaceId'>,
  added: { bytes: number; bounds: TranscriptBounds } | null,
): Promise<void> {
  const where = { id, timeDeleted: IsNull() };
  const { affected } = await manager.update(TranscriptEntity, where, { timeUpdated: new Date() });
  if (affected !== 1) throw unknown('transcript', id);
  const isMore = added !== null && added.bytes > 0;
  if (isMore) await lockTree(manager, workspaceId);
  // By a statement behind the locks, which sees what those have written who held them.
  await manager.query(
    `UPDATE transcripts SET bytes = (
       SELECT coalesce(sum(bytes), 0) FROM transcript_variants WHERE transcript_id = $1 AND time_deleted IS NULL) WHERE id = $1`,
    [id],
  );
  if (!isMore) return;
  const { left, refusal } = await transcriptQuota(manager, workspaceId, added.bounds, added.bytes);
  if (added.bytes > left) throw refusal;
}
