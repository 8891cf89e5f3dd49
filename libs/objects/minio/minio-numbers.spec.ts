import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { deleteObjects } from './minio-deletion.js';
import { connect } from './minio-client.js';
import { MinioObjectStore } from './minio.js';

/** Somebody's rules, as a server tells them: an id and a prefix that a parser takes for numbers. */
const RULES =
  '<Rule><ID>007</ID><Status>Enabled</Status><Filter><Prefix>0123</Prefix></Filter><Expiration><Days>30</Days></Expiration></Rule>';
const UPLOAD = '0012e5';

it('what looks like a number stays what it is: rules of the bucket, the id of an upload, names that were not deleted', async () => {
  const put: string[] = [];
  const uploads: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { searchParams: asked } = new URL(request.url ?? '', 'http://host');
      const body = await text(request);
      if (asked.has('lifecycle') && request.method === 'GET') {
        return response.end(`<LifecycleConfiguration>${RULES}</LifecycleConfiguration>`);
      }
      if (asked.has('lifecycle')) put.push(body);
      if (asked.has('uploads')) {
        return response.end(
          `<InitiateMultipartUploadResult><UploadId>${UPLOAD}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      if (asked.has('delete')) {
        const failed = '<Error><Key>007</Key><Code>AccessDenied</Code><Message>No &amp; no.</Message></Error>';
        return response.end(`<DeleteResult>${failed}</DeleteResult>`);
      }
      if (asked.has('uploadId')) uploads.push(asked.get('uploadId') ?? '');
      response.setHeader('etag', '"1"');
      return response.end(
        request.method === 'POST'
          ? '<CompleteMultipartUploadResult><Location>/bucket/a</Location><Bucket>bucket</Bucket><Key>a</Key><ETag>"1"</ETag></CompleteMultipartUploadResult>'
          : '<ListBucketResult/>',
      );
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = { driver: 'minio', endpoint, bucket: 'bucket', accessKey: 'a', secretKey: 'b'.repeat(8) } as const;
  const store = await MinioObjectStore.open(config);
  const connection = connect(config);
  try {
    expect(put).toHaveLength(1);
    expect(put[0]).toContain(RULES);
    expect(put[0]).toMatch(/adit-incomplete-uploads.*AbortIncompleteMultipartUpload/);
    await store.put('a', Readable.from(Array.from({ length: 12 }, () => Buffer.alloc(1 << 20))));
    expect(new Set(uploads)).toEqual(new Set([UPLOAD]));
    expect(await deleteObjects(connection, 'bucket', ['007', '<&>'])).toEqual([
      { name: '007', code: 'AccessDenied', message: 'No & no.' },
    ]);
  } finally {
    store.close();
    connection.close();
    server.closeAllConnections();
    server.close();
  }
});
