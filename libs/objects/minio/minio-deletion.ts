import { text } from 'node:stream/consumers';
import type { MinioConnection } from './minio-client.js';
import { tried } from './minio-errors.js';
import type { ObjectVersion } from './minio-listing.js';
import { md5Header, valueOf, withEntities, withoutEntities } from './minio-xml.js';

/** A failed deletion of an object, in the server's words. */
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
  const entries = objects.map((object) =>
    typeof object === 'string'
      ? `<Object><Key>${withEntities(object)}</Key></Object>`
      : `<Object><Key>${withEntities(object.name)}</Key><VersionId>${withEntities(object.versionId)}</VersionId></Object>`,
  );
  const body = `<Delete><Quiet>true</Quiet>${entries.join('')}</Delete>`;
  const answer = await tried(place, undefined, async () =>
    text(
      await client.makeRequestAsync(
        { method: 'POST', bucketName: bucket, query: 'delete', headers: md5Header(body) },
        body,
      ),
    ),
  );
  return [...answer.matchAll(/<Error>(.*?)<\/Error>/gs)].map(([, error = '']) => ({
    name: withoutEntities(valueOf(error, 'Key')),
    code: valueOf(error, 'Code'),
    message: withoutEntities(valueOf(error, 'Message')),
  }));
}

/** Builds the error that an answer to a request of its own would throw. */
export function failureOf({ code, message }: Pick<DeletionFailure, 'code' | 'message'>): Error {
  return Object.assign(new Error(message), { code });
}
