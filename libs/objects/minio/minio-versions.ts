import { errorCode } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { MinioConnection } from './minio-client.js';
import { deleteObjects, failureOf } from './minio-deletion.js';
import { objectError, tried } from './minio-errors.js';
import { versionPage, type VersionPage, type VersionPlace } from './minio-listing.js';

const log = createLogger('objects');

type Client = MinioConnection['client'];
type Server = Pick<MinioConnection, 'client' | 'place'>;

/** Returns a warning for operators about how the bucket keeps deleted objects; null for none. Throws UNAVAILABLE. */
export async function keepingWarning(server: Server, bucket: string): Promise<string | null> {
  if (await tried(server.place, undefined, () => hasLock(server.client, bucket))) {
    return (
      'The bucket has object lock: what is erased stays in it until its retention ends, and receipts of erasures are ' +
      'not completed before that.'
    );
  }
  switch (await hasVersions(server, bucket)) {
    case true:
      return (
        'The bucket keeps versions: what is erased goes with all of its versions, for which the key needs ' +
        'ListBucketVersions and DeleteObjectVersion.'
      );
    case null:
      return (
        'The key may not ask whether the bucket keeps versions of what is deleted: allow it GetBucketVersioning, or what ' +
        'is erased may stay there as a version.'
      );
    case false:
      return null;
  }
}

/** Tells whether the bucket has versions of objects, which a deletion by name leaves. Null when the key may not ask. */
export async function hasVersions({ client, place }: Server, bucket: string): Promise<boolean | null> {
  return tried(place, undefined, async () => {
    try {
      const answer: unknown = await client.getBucketVersioning(bucket);
      // A bucket with suspended versioning still has the versions made before.
      return typeof answer === 'object' && answer !== null && 'Status' in answer;
    } catch (error) {
      // eslint-disable-next-line adit/no-lost-errors -- null says that the key may not ask; all else is thrown, or no versions
      if (isDenied(error)) return null;
      return ifSupported(error, place);
    }
  });
}

async function hasLock(client: Client, bucket: string): Promise<boolean> {
  try {
    await client.getObjectLockConfig(bucket);
    return true;
  } catch (error) {
    return isDenied(error) ? false : ifSupported(error, '');
  }
}

/** A server that knows nothing of it does nothing of the kind. Throws what is said of the server itself. */
function ifSupported(error: unknown, place: string): false {
  if (errorCode(error) !== 'NotImplemented' && objectError(error, place).code === 'UNAVAILABLE') throw error;
  return false;
}

function isDenied(error: unknown): boolean {
  return /^(AccessDenied|AllAccessDisabled)$/.test(errorCode(error) ?? '');
}

/**
 * Deletes all versions of the objects whose names begin with `prefix`, and the marks of their deletion. Whether all have gone:
 * one that is locked, or that the key may not delete, stays, hidden by a mark. Null, with nothing done, when the key may not list
 * versions.
 */
export async function deleteVersions(server: Server, bucket: string, prefix: string): Promise<boolean | null> {
  const { client, place } = server;
  const kept = new Map<string, string>();
  let after: VersionPlace | null = null;
  do {
    const page: VersionPage | null = await tried(place, undefined, () => listed(client, bucket, prefix, after));
    if (page === null) {
      log.warn({ prefix }, 'the object store keeps versions of what is deleted: the key may not list them');
      return null;
    }
    for (const { name, code, message } of await deleteObjects(server, bucket, page.versions)) {
      const error = failureOf({ code, message });
      if (!isDenied(error) && objectError(error, place).code === 'UNAVAILABLE') throw objectError(error, place);
      kept.set(name, `${code}: ${message}`);
    }
    after = page.next;
  } while (after !== null);
  for (const [name, reason] of kept) {
    log.warn({ name, reason }, 'the object store keeps a version of what is deleted');
    await hide(server, bucket, name);
  }
  return kept.size === 0;
}

/** Null when the key may not list them. */
async function listed(
  client: Client,
  bucket: string,
  prefix: string,
  after: VersionPlace | null,
): Promise<VersionPage | null> {
  try {
    return await versionPage(client, bucket, prefix, after);
  } catch (error) {
    if (isDenied(error)) return null;
    throw error;
  }
}

/** Whose marks have gone, or which had none, is found no more. */
async function hide({ client, place }: Server, bucket: string, name: string): Promise<void> {
  try {
    await tried(place, name, () => client.statObject(bucket, name));
  } catch (error) {
    if (objectError(error, place, name).code === 'NOT_FOUND') return;
    throw error;
  }
  await tried(place, undefined, () => client.removeObject(bucket, name));
}
