import { AditError } from '@adit/contracts';
import { StorageCredentialEntity } from '@adit/database';
import { decryptText } from '@adit/encryption';
import type { BucketAccess } from '@adit/media';
import { In, type EntityManager } from 'typeorm';
import { SECRET_KEY } from './secret-key.js';

/**
 * Returns what opens a bucket for the jobs of a workspace. Throws SOURCE_REFUSED when nothing does, UNAVAILABLE when its
 * secret cannot be decrypted here.
 */
export async function accessOfBucket(
  manager: EntityManager,
  { workspaceId, bucket }: { workspaceId: string; bucket: string },
  encryptionKey: string | undefined,
): Promise<BucketAccess> {
  const row = await manager.findOneBy(StorageCredentialEntity, { workspaceId, bucket });
  if (row === null) {
    throw new AditError('SOURCE_REFUSED', `The workspace has no storage credentials for the bucket ${bucket}.`);
  }
  const { endpoint, region, accessKey, pathStyle } = row;
  const secretKey = decryptText(SECRET_KEY, row.secretKey, workspaceId, encryptionKey);
  return { endpoint, region, accessKey, secretKey, pathStyle };
}

/** Returns those of the buckets that a workspace has credentials for. */
export async function bucketsWithAccess(
  manager: EntityManager,
  workspaceId: string,
  buckets: readonly string[],
): Promise<Set<string>> {
  if (buckets.length === 0) return new Set();
  const where = { workspaceId, bucket: In([...new Set(buckets)]) };
  const rows = await manager.find(StorageCredentialEntity, { where, select: { bucket: true } });
  return new Set(rows.map(({ bucket }) => bucket));
}
