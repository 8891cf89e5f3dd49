import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { errorCode } from '@adit/contracts';
import { afterEach, expect, it } from '@jest/globals';
import { MinioObjectStore } from './minio.js';

let server: Server | undefined;
let store: MinioObjectStore | undefined;
afterEach(() => {
  store?.close();
  server?.closeAllConnections();
  server?.close();
});

type Refuse = (response: ServerResponse, request: IncomingMessage) => void;

/** A store on a server that has the bucket and refuses every request for an object. */
async function refusedBy(
  refuse: Refuse,
  idleSeconds = 30,
): Promise<{ store: MinioObjectStore; connections: () => number }> {
  let connections = 0;
  server = createServer((request, response) => {
    request.resume();
    const { pathname, search } = new URL(request.url ?? '', 'http://host');
    if (/^\/bucket\/?$/.test(pathname) && (search.startsWith('?list-type') || search.startsWith('?versioning'))) {
      response.end(search.startsWith('?versioning') ? '<VersioningConfiguration/>' : '<ListBucketResult/>');
    } else refuse(response, request);
  });
  server.on('connection', () => (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { accessKey: 'a', secretKey: 'b'.repeat(8) };
  store = await MinioObjectStore.open({
    driver: 'minio',
    endpoint,
    bucket: 'bucket',
    ...keys,
    manageBucket: false,
    idleSeconds,
  });
  return { store, connections: () => connections };
}

const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;
const BODIES: Record<string, string> = { s3: xml('Whatever'), proxy: 'a page of a proxy in between', none: '' };

it('every way of asking ends when the server fails, with a body and without one', async () => {
  // The status and the body stand in the key.
  const { store } = await refusedBy((response, { url }) => {
    const [, status, body = ''] = /\/bucket\/(\d+)-(\w+)/.exec(url ?? '') ?? [];
    response.writeHead(Number(status)).end(BODIES[body]);
  });
  const statuses = [408, 429, 499, 500, 501, 502, 503, 504, 507, 509, 520, 521, 522, 529, 599];
  const keys = statuses.flatMap((status) => Object.keys(BODIES).map((body) => `${status}-${body}`));
  const ways: ((key: string) => Promise<unknown>)[] = [
    (key) => store.put(key, Buffer.from('a')),
    (key) => store.put(key, Readable.from([Buffer.alloc(1 << 20)])),
    (key) => store.read(key),
    (key) => store.get(key),
    (key) => store.stat(key),
    (key) => store.delete(key),
  ];
  const codeOf = (way: Promise<unknown>) => way.then(() => 'ok', errorCode);
  const asked = keys.flatMap((key) => ways.map(async (way, at) => `${key} ${at} ${await codeOf(way(key))}`));
  const ended = await Promise.all(asked);
  expect(ended.filter((line) => !line.endsWith('UNAVAILABLE'))).toEqual([]);
});

it.each([400, 404, 501, 503])('a connection whose request was answered %d is used again', async (status) => {
  const { store, connections } = await refusedBy((response) => void response.writeHead(status).end(xml('Whatever')));
  const before = connections();
  // A failure is asked for four times anyway.
  for (const _ of [400, 403, 404].includes(status) ? [1, 2, 3] : [1]) await store.read('a').catch(() => undefined);
  expect(connections() - before).toBeLessThanOrEqual(1);
});

it('a request is tried four times, whatever it asks for', async () => {
  const asked: string[] = [];
  const { store } = await refusedBy((response, { method }) => {
    asked.push(method ?? '');
    response.writeHead(503).end();
  });
  for (const way of [() => store.read('a'), () => store.get('a'), () => store.put('a', Buffer.from('a'))]) {
    await way().catch(() => undefined);
  }
  expect(asked).toEqual([...Array<string>(8).fill('GET'), ...Array<string>(4).fill('PUT')]);
});

it('a failure without end is not read to its end', async () => {
  const { store } = await refusedBy((response) => {
    response.writeHead(507);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 << 10, ' ')));
    };
    response.on('drain', more);
    more();
  });
  await expect(store.read('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

it('a store whose disk is full says so', async () => {
  const { store } = await refusedBy((response) => void response.writeHead(507).end(xml('XMinioStorageFull')));
  const said = { code: 'UNAVAILABLE', message: expect.stringContaining('is full (HTTP 507 XMinioStorageFull No.)') };
  await expect(store.put('a', Buffer.from('a'))).rejects.toMatchObject(said);
});

it('a failure that comes by drops ends like one that does not come', async () => {
  const drops: NodeJS.Timeout[] = [];
  const { store } = await refusedBy((response) => {
    response.writeHead(503);
    drops.push(setInterval(() => response.write('<'), 50));
  }, 0.4);
  await expect(store.read('a')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/no answer/),
  });
  for (const drop of drops) clearInterval(drop);
});
