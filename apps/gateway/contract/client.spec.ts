import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditApiError, AditClient, AditConnectionError, AditTimeoutError, type Job } from '@adit/client';
import { Job as JobSchema } from '@adit/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { World } from './world.js';

let world: World;
let adit: AditClient;

beforeAll(async () => {
  world = await World.start();
  adit = new AditClient({ url: `${world.base}/`, apiKey: world.gateway.key });
}, 600_000);
afterAll(() => world?.close());

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the client against a gateway', () => {
  it('follows all of a workspace over a connection that breaks, each event once', async () => {
    const connections: AbortController[] = [];
    const following = new AditClient({
      url: world.base,
      apiKey: world.gateway.key,
      fetch: async (input, init) => {
        const connection = new AbortController();
        connections.push(connection);
        init?.signal?.addEventListener('abort', () => connection.abort());
        return fetch(input, { ...init, signal: connection.signal });
      },
    });
    const ending = new AbortController();
    const places: string[] = [];
    const happen = async (tag: string) => {
      const { id } = await adit.jobs.create({ ...world.order, tag });
      await adit.jobs.stop(id);
    };
    const received: string[] = [];
    let begun = false;
    const listening = (async () => {
      for await (const { id, event, data } of following.events({
        signal: ending.signal,
        onPlace: (place) => {
          places.push(place);
          if (!begun) void happen('line\u2028one');
          begun = true;
        },
      })) {
        received.push(`${event} ${(data['job'] as Job).tag}`);
        expect(id).toBe(places.at(-1));
        if (received.length === 3) ending.abort(new Error('enough'));
        if (received.length !== 1) continue;
        connections.at(-1)?.abort();
        await happen('two');
        await happen('three');
      }
    })();
    await expect(listening).rejects.toThrow('enough');
    expect(received).toEqual(['line\u2028one', 'two', 'three'].map((tag) => `svc.job.on_stopped ${tag}`));
    expect(connections).toHaveLength(2);
    const anonymous = new AditClient({ url: world.base, apiKey: 'no key at all, but long' });
    await expect(anonymous.events().next()).rejects.toMatchObject({ status: 401 });
    await expect(adit.events({ after: '999999' }).next()).rejects.toMatchObject({ status: 412 });
  }, 60_000);

  it('posts, reads, lists, stops, waits for and deletes jobs', async () => {
    const job = await adit.jobs.create({ ...world.order, tag: 'client' });
    expect(JobSchema.parse(job)).toEqual(job);
    expect(await adit.jobs.get(job.id)).toMatchObject({ id: job.id, state: 'waiting' });
    const seen: string[] = [];
    const waited = adit.jobs.wait(job.id, {
      pollMs: 5,
      onProgress: ({ state }) => {
        if (seen.length === 0) void adit.jobs.stop(job.id);
        seen.push(state);
      },
    });
    expect((await waited).state).toBe('stopped');
    expect([seen[0], seen.at(-1)]).toEqual(['waiting', 'stopped']);
    // By the server's own waiting.
    const other = await adit.jobs.create({ ...world.order, tag: 'client' });
    const run = adit.jobs.wait(other.id);
    await adit.jobs.stop(other.id);
    expect((await run).id).toBe(other.id);
    expect((await all(adit.jobs.list({ tag: 'client', limit: 1 }))).map(({ id }) => id)).toEqual([other.id, job.id]);
    await adit.jobs.delete(job.id);
    await expect(adit.jobs.get(job.id)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('waits no longer than it is told, and no longer than the caller wants', async () => {
    const { id } = await adit.jobs.create(world.order);
    for (const onProgress of [undefined, () => undefined]) {
      const waiting = adit.jobs.wait(id, { timeoutSeconds: 0.05, ...(onProgress && { onProgress }) });
      await expect(waiting).rejects.toBeInstanceOf(AditTimeoutError);
      const given = new AbortController();
      const waited = adit.jobs.wait(id, { signal: given.signal, ...(onProgress && { onProgress }) });
      given.abort(new Error('enough'));
      await expect(waited).rejects.toThrow('enough');
    }
    expect((await adit.jobs.get(id)).state).toBe('waiting');
  });

  it('follows pages to the end, results and artifacts with their files', async () => {
    const { jobId, artifactId } = await world.minedJob();
    expect(await all(adit.jobs.detailedResults(jobId, { module: 'face_recognition' }))).toHaveLength(1);
    expect(await all(adit.jobs.summarizedResults(jobId))).toMatchObject([{ meta: { female: 1 } }]);
    expect((await all(adit.jobs.artifacts(jobId))).map(({ id }) => id)).toEqual([artifactId]);
    expect(await (await adit.jobs.artifactFile(jobId, artifactId)).json()).toEqual({ summary: [] });
    for (let i = 0; i < 5; i += 1)
      await adit.request('POST /v1/api-keys/', { body: { name: `key ${i}`, role: 'reader' } });
    const sizes = (await all(adit.pages('GET /v1/api-keys/', { query: { limit: 2 } }))).map(({ length }) => length);
    expect(sizes).toEqual([2, 2, 2]);
    expect(
      (await all(adit.items('GET /v1/api-keys/', { query: { limit: 2, offset: 1 } }))).map(({ name }) => name),
    ).toEqual(['key 0', 'key 1', 'key 2', 'key 3', 'key 4']);
  });

  it('gives nothing twice while jobs arrive', async () => {
    const order = { ...world.order, tag: 'arriving' };
    const before: string[] = [];
    for (let count = 0; count < 5; count += 1) before.unshift((await adit.jobs.create(order)).id);
    const found: string[] = [];
    const pages: number[] = [];
    for await (const page of adit.pages('GET /v1/jobs/', { query: { tag: 'arriving', limit: 2 } })) {
      found.push(...page.map(({ id }) => id));
      pages.push(page.length);
      // Newest first: one moves by one place what comes next, a page full all that was seen.
      for (let count = 0; count < pages.length && pages.length < 3; count += 1) await adit.jobs.create(order);
    }
    expect(found).toEqual(before);
    expect(pages.every((length) => length > 0)).toBe(true);
    // Nothing but their names tells these apart.
    const collections = [await world.collection(), await world.collection()];
    const listed = await all(adit.items('GET /v1/index-collection', { query: { limit: 1 } }));
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(collections));
  });

  it('uploads as it reads, says how far it is, and downloads what it sent', async () => {
    const bytes = Buffer.alloc(3 << 20, 'adit');
    const path = join(world.gateway.dataDir, 'upload.bin');
    await writeFile(path, bytes);
    const progress: [number, number][] = [];
    const name = 'Ünï "quoted".bin';
    const entry = await adit.storage.upload(await openAsBlob(path), {
      folder: '/from/the/client',
      name,
      onProgress: (sent, total) => progress.push([sent, total]),
    });
    expect(entry).toMatchObject({ file_size: bytes.length, uploaded: true, name });
    expect(progress.length).toBeGreaterThan(5);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(Buffer.from(await (await adit.storage.download(entry.id)).arrayBuffer()).equals(bytes)).toBe(true);
    expect(await adit.storage.list('/from/the/client')).toEqual([entry]);
    expect(await adit.storage.get(entry.id)).toEqual(entry);
    await adit.storage.delete(entry.id);
    await expect(adit.storage.get(entry.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await adit.storage.upload(new File(['a'], 'a.txt'))).toMatchObject({ name: 'a.txt', file_size: 1 });
    expect(await adit.storage.upload(new Blob([]), { name: 'empty' })).toMatchObject({ file_size: 0 });
  });

  it('reaches every operation by its name, forms and tokens included', async () => {
    const file = new File(['Ada\nGrace\n'], 'names.txt', { type: 'text/plain' });
    const dictionary = await adit.request('POST /v1/dictionaries/', { form: { file, language: 'any' } });
    expect(dictionary).toMatchObject({ name: 'names.txt', type: 'simple' });
    const { key, secret } = await adit.request('POST /v1/access-keys/', {
      body: { name: 'x', scopes: ['export.read'] },
    });
    const jwt = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
    const guest = new AditClient({ url: world.base, token: `${key}.${jwt}` });
    await expect(guest.jobs.create(world.order)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('reads and describes models, and names one by its id', async () => {
    const modelId = await world.model();
    const models = await all(adit.items('GET /v1/models', { query: { limit: 1 } }));
    expect(models.map(({ name }) => name)).toEqual(['general-c', 'newsroom']);
    const body = { description: 'Ours', custom_fields: [{ owner: 'archive' }] };
    const { latest_version: latest, ...model } = await adit.request('PUT /v1/models/{modelId}/', {
      params: { modelId },
      body,
    });
    expect([model.custom_fields, latest.version_number]).toEqual([body.custom_fields, 1]);
    const job = await adit.jobs.create({ ...world.order, modules: { face_recognition: { model: modelId } } });
    expect(job.modules['face_recognition']).toMatchObject({ model: 'newsroom' });
  });

  it('tells refusals with their places, and makes nothing twice', async () => {
    const refused = await adit.jobs
      .create({ ...world.order, modules: { face_recognition: { max_distance: 3 } } })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AditApiError);
    expect(refused).toMatchObject({
      status: 400,
      code: 'VALIDATION',
      errors: [{ pointer: '/modules/face_recognition/max_distance' }],
    });
    const [first, second] = [
      await adit.jobs.create(world.order, { idempotencyKey: 'client once' }),
      await adit.jobs.create(world.order, { idempotencyKey: 'client once' }),
    ];
    expect(second).toEqual(first);
    const anonymous = new AditClient({ url: world.base });
    await expect(anonymous.jobs.get(first.id)).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });
});

describe('the client against an unreliable service', () => {
  let server: Server;
  let answers: { status: number; headers?: Record<string, string>; body?: string }[];
  let asked: string[];
  let ailing: AditClient;

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { status, headers = {}, body = '{}' } = answers.shift() ?? { status: 200 };
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ailing = new AditClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'x' });
  });
  afterAll(() => new Promise((resolve) => server?.close(resolve)));

  const script = (...given: typeof answers): void => {
    answers = given;
    asked = [];
  };

  it('asks again after 429, 503 and a broken connection, where nothing can happen twice', async () => {
    script(
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 200, body: '{"id":"a"}' },
    );
    expect(await ailing.jobs.get('a')).toEqual({ id: 'a' });
    expect(asked).toHaveLength(3);
    script({ status: 0 }, { status: 200 });
    await ailing.jobs.get('a');
    expect(asked).toHaveLength(2);
    script({ status: 503, headers: { 'retry-after': '0' } }, { status: 200 });
    await ailing.jobs.create({ sources: ['x'], modules: {} }, { idempotencyKey: 'once' });
    expect(asked).toHaveLength(2);
    const errors = [{ pointer: '', code: 'in_progress', message: 'It is still being answered.' }];
    const body = JSON.stringify({ code: 'CONFLICT', errors });
    script({ status: 409, headers: { 'retry-after': '0' }, body }, { status: 200 });
    await ailing.jobs.create({ sources: ['x'], modules: {} }, { idempotencyKey: 'once' });
    expect(asked).toHaveLength(2);
  });

  it('gives up on a POST that may have been done, on long pauses, and in the end', async () => {
    script({ status: 503, headers: { 'retry-after': '0' } });
    await expect(ailing.jobs.create({ sources: ['x'], modules: {} })).rejects.toMatchObject({ status: 503 });
    script({ status: 0 });
    await expect(ailing.jobs.create({ sources: ['x'], modules: {} })).rejects.toBeInstanceOf(AditConnectionError);
    script({ status: 429, headers: { 'retry-after': '43200' } });
    await expect(ailing.jobs.get('a')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 43_200 });
    expect(asked).toHaveLength(1);
    script(...Array.from({ length: 5 }, () => ({ status: 503, headers: { 'retry-after': '0' } })));
    await expect(ailing.jobs.get('a')).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(3);
  });

  it('says what it can of an answer that is not the service’s', async () => {
    script({ status: 502, body: '<html>' });
    await expect(ailing.jobs.get('a')).rejects.toMatchObject({
      status: 502,
      code: 'UNKNOWN',
      message: 'The service answered 502.',
    });
    const nobody = new AditClient({ url: 'http://127.0.0.1:1', retries: 0 });
    await expect(nobody.jobs.get('a')).rejects.toThrow('did not answer');
  });

  it('escapes what stands in a path or query', async () => {
    script({ status: 200 }, { status: 200, body: '{"data":[],"total":0}' });
    await ailing.jobs.get('../api-keys?x=1');
    const list: Job[] = await all(ailing.jobs.list({ tag: 'a&b=c', state: undefined }));
    expect([list, asked]).toEqual([
      [],
      ['GET /api/v1/jobs/..%2Fapi-keys%3Fx%3D1/', 'GET /api/v1/jobs/?limit=200&cursor=&tag=a%26b%3Dc'],
    ]);
  });
});
