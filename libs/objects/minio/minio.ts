import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { AditError, nullIfGone } from '@adit/contracts';
import { resolveRange } from '../byte-range.js';
import type { MinioConfig } from '../config.js';
import { checkKey, checkPrefix } from '../key.js';
import { prepareBucket } from './minio-bucket.js';
import { connect, type MinioConnection } from './minio-client.js';
import { deleteObjects, failureOf } from './minio-deletion.js';
import { objectError, tried } from './minio-errors.js';
import { listPage } from './minio-listing.js';
import { putBytes, putStream } from './minio-upload.js';
import { deleteVersions, hasVersions, keepingWarning } from './minio-versions.js';
import type { ByteRange, ObjectInfo, ObjectStore } from '../port.js';
import { StoreFullness } from '../store-fullness.js';

/**
 * Ends every object's name in the bucket: MinIO takes an object `a` beside `a/b`, but then lists neither `a/b` nor lets it be
 * found for deletion. No key holds it and it sorts before all that keys hold, so that names have the order of their keys.
 */
const MARK = '!';
/** Time for which the state of versioning is cached; somebody may switch it on at any time. */
const KEEPING_BELIEVED_MS = 60_000;
const MAX_PRESIGNED_SECONDS = 7 * 86_400;

/**
 * Objects on MinIO, or another server that speaks S3: one bucket, names are an optional prefix, the key and "!". A put is
 * visible when it is whole; what is deleted goes with all of its versions. Requests that fail because the server is away are
 * tried again for about a second, then UNAVAILABLE.
 */
export class MinioObjectStore implements ObjectStore {
  private readonly fullness = new StoreFullness();
  private versions: { believedUntil: number; kept: Promise<boolean> } | null = null;

  private constructor(
    private readonly connection: MinioConnection,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {}

  /** Waits for the server and makes the bucket. Throws UNAVAILABLE when it stays away, VALIDATION when it refuses the keys. */
  static async open(config: MinioConfig): Promise<MinioObjectStore> {
    const connection = connect(config);
    try {
      await prepareBucket(connection, config);
    } catch (error) {
      connection.close();
      throw error;
    }
    const prefix = config.prefix ?? '';
    return new MinioObjectStore(
      connection,
      config.bucket,
      prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    );
  }

  /** Returns a warning for operators about how the bucket keeps deleted objects; null for none. Throws UNAVAILABLE. */
  warning(): Promise<string | null> {
    return keepingWarning(this.connection, this.bucket);
  }

  async put(key: string, body: Uint8Array | Readable): Promise<ObjectInfo> {
    try {
      const target = { ...this.connection, bucket: this.bucket, name: this.nameOf(key) };
      const size = await this.fullness.taking(async () => {
        if (body instanceof Readable) return await putStream(target, body);
        await putBytes(target, Buffer.from(body.buffer, body.byteOffset, body.length));
        return body.length;
      });
      // The answer to a put does not tell the time that later answers will.
      const stored = await this.stat(key);
      return { key, size, modified: stored?.modified ?? new Date() };
    } catch (error) {
      if (body instanceof Readable) body.destroy();
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const response = await tried(this.connection.place, key, () => this.request(key, range));
    const stream = new PassThrough();
    response.on('error', (error) => stream.destroy(objectError(error, this.connection.place, key)));
    stream.on('close', () => response.destroy());
    return response.pipe(stream);
  }

  async read(key: string, range?: ByteRange): Promise<Buffer> {
    return tried(this.connection.place, key, async () => buffer(await this.request(key, range)));
  }

  async stat(key: string): Promise<ObjectInfo | null> {
    const name = this.nameOf(key);
    const found = await tried(this.connection.place, key, () =>
      this.connection.client.statObject(this.bucket, name),
    ).catch(nullIfGone);
    return found === null ? null : { key, size: found.size, modified: found.lastModified };
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    checkPrefix(prefix);
    const { client, place } = this.connection;
    for (let after = ''; ;) {
      const page = await tried(place, undefined, () => listPage(client, this.bucket, this.prefix + prefix, after));
      for (const { key: name, ...rest } of page) yield { key: name.slice(this.prefix.length, -MARK.length), ...rest };
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.key;
    }
  }

  async delete(key: string): Promise<boolean> {
    const name = this.nameOf(key);
    // No other name begins with it: see MARK.
    return this.deleted(name, () =>
      tried(this.connection.place, undefined, () => this.connection.client.removeObject(this.bucket, name)),
    );
  }

  async deletePrefix(prefix: string): Promise<boolean> {
    checkPrefix(prefix);
    return this.deleted(this.prefix + prefix, () => this.deleteNames(this.prefix + prefix));
  }

  async ping(): Promise<void> {
    this.fullness.check();
    const { client, place } = this.connection;
    const found = await tried(place, undefined, () => client.bucketExists(this.bucket));
    if (!found) throw objectError(Object.assign(new Error(), { code: 'NoSuchBucket' }), place);
  }

  /**
   * An address that anyone may read the object at for `seconds` (1 to 604800), without asking Adit. Nothing is sent: of an
   * object that is not there the address answers 404. The host in it is S3_ENDPOINT's.
   */
  async presign(key: string, seconds: number): Promise<string> {
    const name = this.nameOf(key);
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_PRESIGNED_SECONDS) {
      throw new AditError('VALIDATION', `A presigned address lives 1 to ${MAX_PRESIGNED_SECONDS} seconds.`);
    }
    return this.connection.client.presignedGetObject(this.bucket, name, seconds);
  }

  /** Closes idle connections. Requests after that open new ones. */
  close(): void {
    this.connection.close();
  }

  /** With all versions where the bucket keeps them; else, or where the key may not, `byName`. */
  private async deleted(prefix: string, byName: () => Promise<void>): Promise<boolean> {
    const versioned = await this.keepsVersions();
    const gone = versioned ? await deleteVersions(this.connection, this.bucket, prefix) : null;
    if (gone !== null) return gone;
    await byName();
    return !versioned;
  }

  private async deleteNames(prefix: string): Promise<void> {
    const { client, place } = this.connection;
    for (;;) {
      const page = await tried(place, undefined, () => listPage(client, this.bucket, prefix, ''));
      if (page.length === 0) return;
      const names = page.map(({ key }) => key);
      const [failure] = await deleteObjects(this.connection, this.bucket, names);
      if (failure !== undefined) throw objectError(failureOf(failure), place);
    }
  }

  private keepsVersions(): Promise<boolean> {
    const now = Date.now();
    if (this.versions === null || this.versions.believedUntil <= now) {
      const kept = hasVersions(this.connection, this.bucket).then((versions) => versions === true);
      kept.catch(() => (this.versions = null));
      this.versions = { believedUntil: now + KEEPING_BELIEVED_MS, kept };
    }
    return this.versions.kept;
  }

  private nameOf(key: string): string {
    checkKey(key);
    return this.prefix + key + MARK;
  }

  private async request(key: string, range: ByteRange | undefined): Promise<IncomingMessage> {
    const name = this.nameOf(key);
    // The server knows the size and says when a range starts past it; what is no range at all is found here.
    const bytes = range === undefined ? null : resolveRange(range, Infinity);
    const end = bytes === null || bytes.end === Infinity ? '' : bytes.end;
    const headers = bytes === null ? {} : { range: `bytes=${bytes.start}-${end}` };
    return this.connection.client.makeRequestAsync(
      { method: 'GET', bucketName: this.bucket, objectName: name, headers },
      '',
      [200, 206],
    );
  }
}
