import { PassThrough, type Readable } from 'node:stream';
import { connect, type MinioConnection } from './minio/minio-client.js';
import { objectError, tried } from './minio/minio-errors.js';
import { foreignPage } from './minio/minio-listing.js';
import type { ForeignObject, ForeignObjects, ForeignServer } from './foreign-objects.js';

/** A bucket of MinIO, or of another server that speaks S3, below a prefix. */
export class ForeignBucket implements ForeignObjects {
  private readonly connection: MinioConnection;

  constructor(
    server: ForeignServer,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {
    this.connection = connect({ ...server, driver: 'minio', bucket });
  }

  async *list(): AsyncIterable<ForeignObject> {
    const { client, place } = this.connection;
    for (let after = ''; ;) {
      const page = await tried(place, undefined, () => foreignPage(client, this.bucket, this.prefix, after));
      for (const { name, ...rest } of page) yield { name: name.slice(this.prefix.length), ...rest };
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.name;
    }
  }

  async get(name: string): Promise<Readable> {
    const { client, place } = this.connection;
    const request = { method: 'GET', bucketName: this.bucket, objectName: this.prefix + name };
    const response = await tried(place, name, () => client.makeRequestAsync(request, '', [200]));
    const stream = new PassThrough();
    response.on('error', (error) => stream.destroy(objectError(error, place, name)));
    stream.on('close', () => response.destroy());
    return response.pipe(stream);
  }

  close(): void {
    this.connection.close();
  }
}
