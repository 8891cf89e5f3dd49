import { isRecord } from '@adit/contracts';
import type { MinioConnection } from './minio-client.js';
import { tried } from './minio-errors.js';
import type { ObjectVersion } from './minio-listing.js';

/** Of an object that was not deleted, in the server's words. */
export interface DeletionFailure {
  /** In the bucket. */
  name: string;
  code: string;
  message: string;
}

/** Deletes at most 1000 objects by their names, or versions of them. Returns those that could not be. */
export async function deleteObjects(
  { client, place }: Pick<MinioConnection, 'client' | 'place'>,
  bucket: string,
  objects: string[] | ObjectVersion[],
): Promise<DeletionFailure[]> {
  if (objects.length === 0) return [];
  // The client's type wraps each in a property of its own; what it answers does not.
  const failures: unknown[] = await tried(place, undefined, () => client.removeObjects(bucket, objects));
  return failures.filter(isRecord).map(({ Key: name, Code: code, Message: message }) => ({
    name: String(name ?? ''),
    code: String(code ?? ''),
    message: String(message ?? ''),
  }));
}

/** As an answer to a request of its own would be thrown. */
export function failureOf({ code, message }: Pick<DeletionFailure, 'code' | 'message'>): Error {
  return Object.assign(new Error(message), { code });
}
