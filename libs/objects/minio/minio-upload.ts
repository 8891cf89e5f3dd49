import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AditError, errorCode } from '@adit/contracts';
import type { Client } from 'minio';
import { objectError, tried } from './minio-errors.js';
import { MAX_PARTS, parts } from './minio-parts.js';
import { valueOf, withoutEntities } from './minio-xml.js';

interface Target {
  client: Client;
  place: string;
  bucket: string;
  /** The object's name in the bucket. */
  name: string;
}

/** One request: the object is there whole when it is answered. */
export async function putBytes({ client, place, bucket, name }: Target, bytes: Buffer): Promise<void> {
  await tried(place, undefined, () =>
    client.makeRequestAsyncOmit({ method: 'PUT', bucketName: bucket, objectName: name }, bytes),
  );
}

/**
 * Puts a stream of any length and returns its size in bytes: in one request when it fits into one part, else part after part,
 * of which nothing is seen before all are there. One part is read while the one before is sent. What was sent of a stream
 * that breaks is removed.
 */
export async function putStream(target: Target, body: Readable): Promise<number> {
  let upload: Upload | null = null;
  try {
    for await (const part of parts(body)) {
      if (part.last && upload === null) {
        await putBytes(target, part.bytes);
        return part.bytes.length;
      }
      upload ??= await Upload.begin(target);
      await upload.send(part.bytes);
      if (part.last) return await upload.complete();
    }
    throw new RangeError('A stream ended without its last part.');
  } catch (error) {
    await upload?.abort();
    throw error;
  }
}

class Upload {
  private readonly etags: { part: number; etag: string }[] = [];
  private sending: Promise<void> = Promise.resolve();
  private size = 0;

  private constructor(
    private readonly target: Target,
    private readonly id: string,
  ) {}

  static async begin(target: Target): Promise<Upload> {
    const { client, place, bucket, name } = target;
    const begin = { method: 'POST', bucketName: bucket, objectName: name, query: 'uploads' };
    const answer = await tried(place, undefined, async () => text(await client.makeRequestAsync(begin)));
    return new Upload(target, withoutEntities(valueOf(answer, 'UploadId')));
  }

  /** Resolves when the part before this one is sent, so that its buffer may be used again. */
  async send(bytes: Buffer): Promise<void> {
    await this.sending;
    const part = this.etags.length + 1;
    if (part > MAX_PARTS) throw new AditError('TOO_LARGE', 'The object is larger than the object store can hold.');
    const entry = { part, etag: '' };
    this.etags.push(entry);
    this.size += bytes.length;
    this.sending = this.sendPart(part, bytes).then((etag) => void (entry.etag = etag));
    // Thrown where it is awaited.
    this.sending.catch(() => undefined);
  }

  async complete(): Promise<number> {
    const { client, place, bucket, name } = this.target;
    await this.sending;
    let asked = 0;
    await tried(place, undefined, async () => {
      asked += 1;
      try {
        await client.completeMultipartUpload(bucket, name, this.id, this.etags);
      } catch (error) {
        // The answer to the request before was lost: the upload has become the object.
        const done = asked > 1 && errorCode(error) === 'NoSuchUpload';
        if (!done || (await client.statObject(bucket, name)).size !== this.size) throw error;
      }
    });
    return this.size;
  }

  /** Best effort: the server's own clean-up, or the bucket's lifecycle rule, removes what stays. */
  async abort(): Promise<void> {
    const { client, bucket, name } = this.target;
    await this.sending.catch(() => undefined);
    await client.abortMultipartUpload(bucket, name, this.id).catch(() => undefined);
  }

  private async sendPart(part: number, bytes: Buffer): Promise<string> {
    const { client, place, bucket, name } = this.target;
    const query = `partNumber=${part}&uploadId=${encodeURIComponent(this.id)}`;
    const answer = await tried(place, undefined, async () => {
      const response = await client.makeRequestAsync(
        { method: 'PUT', bucketName: bucket, objectName: name, query },
        bytes,
      );
      response.resume();
      return response;
    });
    const etag = answer.headers.etag?.replace(/^"|"$/g, '');
    if (etag === undefined) throw objectError(new Error('a part was accepted without an ETag'), place);
    return etag;
  }
}
