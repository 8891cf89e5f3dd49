/** @needs servers */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { describeWith, RawBucket, uniqueName } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchSource, type FetchOptions } from '../../fetch-source.js';
import type { BucketAccess } from './bucket-object.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-s3-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SECRET = 'wJalrXUtnFEMI';

function options(access: Partial<BucketAccess>, more: Partial<FetchOptions> = {}): FetchOptions {
  const rest = { region: 'us-east-1', accessKey: 'AKID', secretKey: SECRET, pathStyle: true };
  return {
    directory: join(folder, 'private'),
    localRoots: [],
    allowHttp: true,
    allowPrivateAddresses: ['127.0.0.1/32'],
    maxBytes: 10_000_000,
    timeoutSeconds: 20,
    idleTimeoutSeconds: 5,
    openStorage: () => Promise.reject(new Error('nothing is stored')),
    accessBucket: () => Promise.resolve({ endpoint: 'http://127.0.0.1:1', ...rest, ...access }),
    ...more,
  };
}

async function failure(uri: string, given: FetchOptions): Promise<AditError> {
  const error: unknown = await fetchSource(uri, given).then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AditError)) throw new Error(`not ours: ${String(error)}`);
  return error;
}

await describeWith('minio', 'objects of a real store', ({ minio }) => {
  const content = randomBytes(300_000);
  let bucket: RawBucket;
  beforeAll(async () => {
    bucket = await RawBucket.make(minio, uniqueName('sources'));
  });

  it.each([
    ['a film.mp4', 'a%20film.mp4'],
    ["2026/über+uns (1)!'~.jpg", "2026/über+uns%20(1)!'~.jpg"],
    ['100%25?#&=;,:@$.mp4', '100%2525%3F%23&=;,:@$.mp4'],
  ])('%s is fetched', async (key, written) => {
    await bucket.put(key, content);
    const copy = await fetchSource(`s3://${bucket.name}/${written}`, options(minio));
    expect(copy.size).toBe(content.length);
    expect(await readFile(copy.path)).toEqual(content);
    await rm(copy.path);
  });

  it.each([
    ['no such object', {}, 'its store has no such object (HTTP status 404, NoSuchKey)'],
    ['another secret', { secretKey: 'another-secret' }, 'HTTP status 403, SignatureDoesNotMatch'],
    ['another key', { accessKey: 'nobody' }, 'HTTP status 403, InvalidAccessKeyId'],
  ])('%s is told without secrets', async (_, access, said) => {
    const { code, message } = await failure(`s3://${bucket.name}/none.mp4`, options({ ...minio, ...access }));
    expect([code, message]).toEqual(['SOURCE_REFUSED', expect.stringContaining(said)]);
    expect(message).toContain(`The source s3://${bucket.name}/none.mp4 is refused`);
    for (const secret of [minio.secretKey, 'another-secret', 'Signature=']) expect(message).not.toContain(secret);
  });

  it('too large an object is not copied', async () => {
    await bucket.put('large.mp4', content);
    const given = options(minio, { maxBytes: content.length - 1 });
    expect((await failure(`s3://${bucket.name}/large.mp4`, given)).code).toBe('TOO_LARGE');
  });
});

describe('the store of a bucket', () => {
  const answers: Record<string, RequestListener> = {
    '/news/busy': (_, answer) => answer.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'),
    '/news/there': (_, answer) => answer.writeHead(307, { location: '/news/film' }).end(),
    '/news/region': (_, answer) =>
      answer.writeHead(301).end('<Error><Code>PermanentRedirect</Code><Endpoint>other</Endpoint></Error>'),
    '/news/echo': ({ headers }, answer) => answer.writeHead(403).end(`<Error>${headers.authorization}</Error>`),
    '/news/endless': (_, answer) => {
      answer.writeHead(403);
      const more = () => {
        while (!answer.destroyed && answer.write('x'.repeat(1000)));
        answer.once('drain', more);
      };
      more();
    },
    '/news/drip': (_, answer) => {
      answer.writeHead(403);
      const timer = setInterval(() => answer.write('x'), 20);
      answer.on('close', () => clearInterval(timer));
    },
  };
  let server: Server;
  let endpoint: string;
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, answer) => {
      asked.push(request.url ?? '');
      (answers[request.url ?? ''] ?? ((_, none) => none.writeHead(404).end()))(request, answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ['busy', 'SOURCE_UNAVAILABLE', 'answers HTTP status 503, SlowDown now'],
    ['there', 'SOURCE_REFUSED', 'redirects elsewhere'],
    ['region', 'SOURCE_REFUSED', 'HTTP status 301, PermanentRedirect'],
    ['echo', 'SOURCE_REFUSED', '(HTTP status 403)'],
    ['endless', 'SOURCE_REFUSED', '(HTTP status 403)'],
    ['drip', 'SOURCE_UNAVAILABLE', 'sent nothing for 0.5 s'],
  ])('may answer with %s: %s', async (key, code, said) => {
    const found = await failure(`s3://news/${key}`, options({ endpoint }, { idleTimeoutSeconds: 0.5 }));
    expect([found.code, found.message]).toEqual([code, expect.stringContaining(said)]);
    expect(found.message).not.toContain('Signature');
    expect(asked).not.toContain('/news/film');
  });

  /** @hardening privacy: The endpoint of a bucket reaches the internal network (SSRF) */
  it.each([
    ['a private address', { endpoint: 'http://10.0.0.1' }, {}],
    ['the metadata of a cloud', { endpoint: 'http://169.254.169.254' }, {}],
    ['a name that leads there', { endpoint: 'http://store.example.org' }, {}],
    ['a name with the bucket that leads there', { endpoint: 'http://store.example.org', pathStyle: false }, {}],
    ['http, where it is not allowed', {}, { allowHttp: false }],
  ])('is not asked at %s', async (_, access, more) => {
    const before = asked.length;
    const resolveHost = () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]);
    const { code } = await failure('s3://news/film', options({ endpoint, ...access }, { resolveHost, ...more }));
    expect([code, asked.length]).toEqual(['SOURCE_REFUSED', before]);
  });

  it('is asked by the name of the bucket, at the address that was checked', async () => {
    const resolved: string[] = [];
    const resolveHost = (host: string) => {
      resolved.push(host);
      return Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    };
    const { port } = new URL(endpoint);
    const access = { endpoint: `http://store.example.org:${port}`, pathStyle: false };
    const found = await failure('s3://news/film', options(access, { resolveHost }));
    expect(found.message).toContain('HTTP status 404');
    expect([resolved, asked.at(-1)]).toEqual([['news.store.example.org'], '/film']);
  });

  it('is named in no error when nothing opens the bucket', async () => {
    const given = options({}, { accessBucket: undefined });
    expect((await failure('s3://news/film', given)).code).toBe('SOURCE_REFUSED');
  });
});
