/** @needs weights, build */
import 'reflect-metadata';
import { createHash, randomUUID } from 'node:crypto';
import { digestOf } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { takesIdempotencyKey } from '../openapi/refusals.js';
import { allRoutes } from '../resources.js';
import type { Answer } from '../testing/gateway.js';
import { stored } from './stored.js';
import { STORAGE_CREDENTIALS, WEBHOOK, World } from './world.js';

/** A request that a route is tried with. */
interface Order {
  /** Values for the variables of the path, of resources that exist. */
  ids?: string[];
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** These look at what they are given and change nothing. */
const ASKS = [
  '/v1/faces/compare/',
  '/v1/faces/detect/',
  '/v1/faces/search/',
  '/v1/jobs/dry-run/',
  '/v1/models/:modelId/predict/',
  '/v1/search/',
];

/** By the paths of the routes. A POST that is added and has no line here fails, and so does one that does its work twice. */
const ORDERS: Record<string, () => Promise<Order>> = {
  '/v1/jobs/': async () => ({ body: world.order }),
  '/v1/jobs/:jobId/stop/': async () => ({ ids: [await world.job()] }),
  '/v1/jobs/:jobId/retry/': async () => {
    const id = await world.job();
    await succeeded(world.ask('POST', `/api/v1/jobs/${id}/stop/`));
    return { ids: [id] };
  },
  '/v1/search/rebuild/': async () => ({}),
  '/v1/retention/holds/': async () => ({ body: { tag: randomUUID() } }),
  '/v1/searches/': async () => ({ body: { name: 'Cars', what: 'car' } }),
  '/v1/storage/uploads/': async () => ({
    query: `?folder=/repeats&name=${randomUUID()}.txt`,
    headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' },
  }),
  '/v1/models/': async () => ({ body: { ...(await world.graph()), name: named('helmets') } }),
  '/v1/models/:modelId/versions/:version/promote/': async () => ({ ids: [await versions(), '1'] }),
  '/v1/models/:modelId/versions/:version/retire/': async () => ({ ids: [await versions(), '1'] }),
  '/v1/models/:modelId/canary/': async () => ({ ids: [await versions()], body: { version: 1, share: 0.5 } }),
  '/v1/models/:modelId/canary/promote/': async () => ({ ids: [await tried()] }),
  '/v1/models/:modelId/canary/drop/': async () => ({ ids: [await tried()] }),
  '/v1/datasets/': async () => ({ body: { name: 'Newsroom', type: 'face' } }),
  '/v1/datasets/:datasetId/classes/': async () => ({
    ids: [await world.dataset()],
    body: { label: 'Eve', reference: 'one' },
  }),
  '/v1/datasets/:datasetId/classes/:classId/images/': async () => ({
    ids: await world.datasetClass(),
    body: { file_uri: await world.picture() },
  }),
  '/v1/datasets/:datasetId/imports/': async () => ({
    ids: [await world.dataset()],
    body: { file_uri: await world.picture() },
  }),
  '/v1/trainings/': async () => ({
    body: { source_dataset_id: await world.dataset(), output_model_name: named('people') },
  }),
  '/v1/index-collection/': async () => ({ body: { name: named('Archive') } }),
  '/v1/erasures/': async () => ({ body: { index_id: (await world.identity())[1] } }),
  '/v1/api-keys/': async () => ({ body: { name: 'second' } }),
  '/v1/api-keys/:keyId/rotate/': async () => ({ ids: [(await apiKey()).id], body: { overlap_seconds: 60 } }),
  '/v1/invitations/': async () => ({ body: { email: 'ada@example.org' } }),
  '/v1/signing-secret/': async () => ({}),
  '/v1/access-keys/': async () => ({ body: { name: 'editor', type: 'jwt', scopes: ['transcript.read'] } }),
  '/v1/storage-credentials/': async () => ({ body: { ...STORAGE_CREDENTIALS, bucket: named('bucket') } }),
  '/v1/webhooks/': async () => ({ body: WEBHOOK }),
  '/v1/webhooks/:webhookId/test/': async () => ({ ids: [await world.webhook()] }),
  '/v1/webhooks/:webhookId/attempts/:attemptId/replay/': async () => {
    const id = await world.webhook();
    const test = await succeeded(world.ask('POST', `/api/v1/webhooks/${id}/test/`));
    return { ids: [id, test.json<{ message_id: string }>().message_id] };
  },
  '/v1/batches/': async () => ({ body: { name: 'Election night' } }),
  '/v1/batches/:batchId/report/': async () => ({ ids: [await world.batch()] }),
  '/v1/exports/': async () => ({ body: { strategy: 'job_results_export', config: { job_id: await world.job() } } }),
  '/v1/transcripts/': async () => ({ body: { job_id: await world.transcribedJob() } }),
  '/v1/transcripts/:transcriptId/variants/': async () => ({
    ids: (await world.transcript()).slice(0, 1),
    body: { language: 'de', mode: 'copy' },
  }),
  '/v1/transcripts/:transcriptId/variants/:variantId/versions/': async () => ({
    ids: await world.transcript(),
    body: { changes: [{ after: null, text: 'Hello.', time_start: 0, time_end: 1 }] },
  }),
  '/v1/workspaces/': async () => ({ body: { name: 'Archive' } }),
};

let world: World;

beforeAll(async () => {
  // Nobody is asked: it is a private address.
  const provider = { oidcIssuer: 'https://127.0.0.1', oidcClientId: 'adit', publicUrl: 'http://localhost' };
  world = await World.start(provider);
}, 600_000);
afterAll(() => world?.close());

const named = (word: string): string => `${word} ${randomUUID().slice(0, 8)}`.replaceAll(' ', '-');

async function succeeded(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([answer.status, '']);
  return answer;
}

async function apiKey(): Promise<{ id: string }> {
  return (await succeeded(world.ask('POST', '/api/v1/api-keys/', { name: 'first' }))).json<{ id: string }>();
}

/** A model with two versions, of which its name means the second. */
async function versions(): Promise<string> {
  const name = named('helmets');
  const fields = await world.graph();
  const added = await succeeded(world.ask('POST', '/api/v1/models/', { ...fields, name }));
  const labels = fields.labels.replaceAll('thing', 'helmet');
  await succeeded(world.ask('POST', '/api/v1/models/', { ...fields, name, labels }));
  return added.json<{ id: string }>().id;
}

/** A model of which a version is tried. */
async function tried(): Promise<string> {
  const id = await versions();
  await succeeded(world.ask('POST', `/api/v1/models/${id}/canary/`, { version: 1, share: 0.5 }));
  return id;
}

/** Asks with an Idempotency-Key. */
function post(path: string, { ids = [], query = '', body, headers }: Order, key: string): Promise<Answer> {
  let next = 0;
  const url = `/api${path.replace(/:\w+/g, () => encodeURIComponent(ids[next++] ?? ''))}${query}`;
  return world.ask('POST', url, body, { ...headers, 'idempotency-key': key });
}

/** Leaves the row of a request that died before its reply was stored, past its time. */
const died = (key: string, doneAgo = '0 s') =>
  world.gateway.db.query(
    `UPDATE idempotency_keys SET status = NULL, body = NULL, headers = NULL, time_expires = now(),
            time_done = time_done - $2::interval WHERE key = $1`,
    [key, doneAgo],
  );

/** Headers that say more than the body. */
const SAID = ['etag', 'location', 'upload-offset', 'tus-resumable'];

/** A reply without what is shown once. */
function lasting(answer: Answer): object {
  const { key: _, prefix: __, link: ___, ...others } = answer.json();
  return others;
}

const key = (): string => `repeated ${randomUUID()}`;
const routes = allRoutes()
  .map(({ route }) => route)
  .filter(takesIdempotencyKey);

describe('a POST whose process died before it had answered', () => {
  it('every route that takes an Idempotency-Key is tried', () => {
    expect([...Object.keys(ORDERS), ...ASKS].sort()).toEqual(routes.map(({ path }) => path).sort());
  });

  it.each(Object.entries(ORDERS))('%s is done once, and answered when it is repeated', async (path, order) => {
    const [given, once] = [await order(), key()];
    const first = await succeeded(post(path, given, once));
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const before = await stored(world.gateway.db);
    const again = async (): Promise<Answer> => {
      const second = await succeeded(post(path, given, once));
      expect(await stored(world.gateway.db)).toEqual(before);
      for (const name of SAID) expect([name, second.headers[name]]).toEqual([name, first.headers[name]]);
      expect([second.status, second.headers['idempotency-replayed']]).toEqual([first.status, 'true']);
      return second;
    };
    await died(once);
    expect(lasting(await again())).toEqual(lasting(first));
    // Its reply is stored now; one that holds a secret never is.
    if (routes.find((route) => route.path === path)?.secret !== true)
      expect((await again()).json()).toEqual(first.json());
  });

  /** Returns the id that older builds made, which did not yet write down finished requests. */
  function olderId(id: string, text: string): string {
    const bytes = createHash('sha256').update(`${world.gateway.workspaceId} ${id} ${text}`).digest().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  it.each([
    '/v1/jobs/',
    '/v1/batches/',
    '/v1/datasets/',
    '/v1/datasets/:datasetId/classes/',
    '/v1/datasets/:datasetId/classes/:classId/images/',
    '/v1/datasets/:datasetId/imports/',
    '/v1/erasures/',
    '/v1/exports/',
    '/v1/batches/:batchId/report/',
    '/v1/index-collection/',
    '/v1/trainings/',
    '/v1/transcripts/',
    '/v1/transcripts/:transcriptId/variants/',
    '/v1/webhooks/',
  ])('%s is done once, even if the process before was of an older build', async (path) => {
    const [given, once] = [await ORDERS[path]!(), key()];
    const { ids = [], body } = given;
    let next = 0;
    const url = `/api${path.replace(/:\w+/g, () => ids[next++] ?? '')}`.replace(/\/$/, '');
    const digest = digestOf(['POST', url, body ?? null]);
    const id = olderId(once, digest);
    const { db, workspaceId } = world.gateway;
    await db.query(
      `INSERT INTO idempotency_keys (workspace_id, key, request_digest, new_id, time_expires) VALUES ($1, $2, $3, $4, now())`,
      [workspaceId, once, digest, id],
    );
    const first = await succeeded(post(path, given, once));
    const before = await stored(db);
    await db.query(
      `UPDATE idempotency_keys SET status = NULL, body = NULL, headers = NULL, new_id = NULL, time_done = NULL,
              time_expires = now() WHERE key = $1`,
      [once],
    );
    const again = await succeeded(post(path, given, once));
    expect(await stored(db)).toEqual(before);
    expect([again.headers['idempotency-replayed'], again.json()]).toEqual(['true', first.json()]);
  });

  it('a POST is done anew a day later', async () => {
    const once = key();
    const order = { body: { name: 'Every night' } };
    const made = async () => (await succeeded(post('/v1/batches/', order, once))).json<{ id: string }>().id;
    const first = await made();
    await died(once, '23 h');
    expect((await post('/v1/batches/', { body: { name: 'Another' } }, once)).status).toBe(422);
    expect(await made()).toBe(first);
    await died(once, '2 h');
    expect(await made()).not.toBe(first);
  });

  it('a repeated POST of a key is told a key that works', async () => {
    for (const path of ['/v1/api-keys/', '/v1/workspaces/']) {
      const [order, once] = [{ body: { name: 'told' } }, key()];
      const lost = (await succeeded(post(path, order, once))).json<{ key: string }>();
      await died(once);
      const told = (await succeeded(post(path, order, once))).json<{ key: string }>();
      const works = async (each: string) =>
        (await world.ask('GET', '/api/v1/jobs/', undefined, { authorization: `Key ${each}` })).status;
      expect([await works(told.key), await works(lost.key)]).toEqual([200, 401]);
    }
  });

  it('a repeated upload goes on at its offset', async () => {
    const order = {
      query: `?folder=/repeats&name=${randomUUID()}.txt`,
      body: Buffer.from('hello'),
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '5',
        'content-type': 'application/offset+octet-stream',
      },
    };
    const once = key();
    const first = await succeeded(post('/v1/storage/uploads/', order, once));
    await died(once);
    const second = await succeeded(post('/v1/storage/uploads/', order, once));
    expect([second.json(), second.headers['upload-offset']]).toEqual([first.json(), '5']);
    // It says in headers what others say in their bodies.
    const other = { ...order, headers: { ...order.headers, 'upload-length': '6' } };
    expect((await post('/v1/storage/uploads/', other, once)).status).toBe(422);
  });
});
