/** @needs weights, build */
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Problem } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { allRoutes } from '../resources.js';
import { stored } from './stored.js';
import { World } from './world.js';

/** A request that is done as soon as its header is in order. */
interface Order {
  path: string;
  body?: unknown;
  headers: Record<string, string>;
}

const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'upload-length': '5', 'content-type': 'application/offset+octet-stream' };
const upload = () => `/api/v1/storage/uploads/?folder=/headers&name=${randomUUID()}.txt`;

let world: World;

beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

async function versionPath(): Promise<string> {
  const [transcript, variant] = await world.transcript();
  return `/api/v1/transcripts/${transcript}/variants/${variant}/versions/`;
}

async function paragraph(): Promise<string> {
  const versions = await versionPath();
  const { data } = (await world.ask('GET', `${versions}1/paragraphs/`)).json<{ data: { id: string }[] }>();
  return `${versions}1/paragraphs/${data[0]?.id}/`;
}

async function begun(): Promise<string> {
  const { id } = (await world.gateway.ask('POST', upload(), undefined, { ...TUS, 'upload-length': '5' })).json();
  return `/api/v1/storage/uploads/${String(id)}/`;
}

const bytes = Buffer.from('hello');
const edited = { text: 'Good night.' };

/** By the method and the path of each route that takes headers of its own and changes something: requests with one that is wrong. */
const WRONG: Record<string, [header: string, status: number, () => Promise<Order>][]> = {
  'POST /v1/jobs/': [
    ['Prefer', 400, async () => ({ path: '/api/v1/jobs/', body: world.order, headers: { prefer: 'wait=soon' } })],
  ],
  'POST /v1/transcripts/:transcriptId/variants/:variantId/versions/': [
    [
      'If-Match',
      400,
      async () => ({
        path: await versionPath(),
        body: { changes: [{ after: null, text: 'Hello.', time_start: 0, time_end: 1 }] },
        headers: { 'if-match': 'seven' },
      }),
    ],
  ],
  ...Object.fromEntries(
    ['PUT', 'PATCH'].map((method) => [
      `${method} /v1/transcripts/:transcriptId/variants/:variantId/versions/:version/paragraphs/:paragraphId/`,
      [['If-Match', 400, async () => ({ path: await paragraph(), body: edited, headers: { 'if-match': 'seven' } })]],
    ]),
  ),
  'POST /v1/storage/uploads/': [
    ['Upload-Length', 400, async () => ({ path: upload(), headers: { ...TUS, 'upload-length': 'all' } })],
    [
      'Upload-Metadata',
      400,
      async () => ({ path: upload(), headers: { ...BYTES, 'upload-metadata': 'a,a' }, body: bytes }),
    ],
    // The parser of HTTP takes it for a number.
    [
      'Content-Length',
      400,
      async () => ({ path: upload(), headers: { ...BYTES, 'content-length': '9'.repeat(17) }, body: bytes }),
    ],
    [
      'Content-Length',
      413,
      async () => ({ path: upload(), headers: { ...BYTES, 'content-length': '6' }, body: bytes }),
    ],
    [
      'Tus-Resumable',
      412,
      async () => ({ path: upload(), headers: { ...BYTES, 'tus-resumable': '0.2' }, body: bytes }),
    ],
  ],
  'PATCH /v1/storage/uploads/:storageId/': [
    [
      'Upload-Offset',
      400,
      async () => ({ path: await begun(), headers: { ...BYTES, 'upload-offset': 'end' }, body: bytes }),
    ],
    [
      'Content-Length',
      413,
      async () => ({
        path: await begun(),
        headers: { ...BYTES, 'upload-offset': '0', 'content-length': '6' },
        body: bytes,
      }),
    ],
  ],
  'DELETE /v1/storage/uploads/:storageId/': [
    ['Tus-Resumable', 412, async () => ({ path: await begun(), headers: { 'tus-resumable': '0.2' } })],
  ],
};

const rows = Object.entries(WRONG).flatMap(([route, orders]) => orders.map((order) => [route, ...order] as const));

describe('a request that changes something', () => {
  it('wrong headers are tried on every route that takes some', () => {
    const changing = allRoutes()
      .map(({ route }) => route)
      .filter(({ method, headers }) => headers instanceof z.ZodObject && method !== 'GET' && method !== 'HEAD');
    expect(Object.keys(WRONG).sort()).toEqual(changing.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it.each(rows)('%s with a wrong %s answers %i and has done nothing', async (route, _, status, order) => {
    const { path, body, headers } = await order();
    const before = await stored(world.gateway.db);
    const method = route.split(' ')[0] as 'POST';
    const answer = await world.gateway.ask(method, path, body, headers);
    expect([answer.status, Problem.parse(answer.json()).status]).toEqual([status, status]);
    expect(await stored(world.gateway.db)).toEqual(before);
  });
});
