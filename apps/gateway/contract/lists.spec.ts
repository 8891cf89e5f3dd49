/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { AditClient } from '@adit/client';
import { columns, JobEntity, JobModuleEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS } from './operations.js';
import { plantMember } from '../members/testing/members.js';
import { World } from './world.js';

interface ListPage {
  total: number;
  next: string | null;
  prev: string | null;
  data: Record<string, unknown>[];
}

let world: World;
let adit: AditClient;

beforeAll(async () => {
  world = await World.start();
  adit = new AditClient({ url: world.base, apiKey: world.gateway.key });
}, 600_000);
afterAll(() => world?.close());

async function page(url: string): Promise<ListPage> {
  const answer = await world.ask('GET', url);
  expect([url, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([url, 200, '']);
  return answer.json<ListPage>();
}

function withQuery(path: string, query: Record<string, string>): string {
  const url = new URL(path, world.base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.pathname + url.search;
}

/** Everything, a row at a time. */
async function byCursor(path: string, between?: () => Promise<void>): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let url = withQuery(path, { cursor: '', limit: '1' }); ;) {
    const { data, next, prev } = await page(url);
    expect([data.length <= 1, prev]).toEqual([true, null]);
    found.push(...data);
    if (next === null) return found;
    url = next.slice(world.base.length);
    await between?.();
  }
}

/** Jobs of a tag, made a microsecond after each other; the newest first. */
async function manyJobs(tag: string, count: number): Promise<string[]> {
  const { manager } = world.gateway.db;
  const model = await manager.findOneByOrFail(JobEntity, { id: await world.job() });
  const ids = Array.from({ length: count }, () => randomUUID());
  await manager.insert(
    JobEntity,
    ids.map((id) => columns<JobEntity>({ ...model, id, tag })),
  );
  const modules = await manager.findBy(JobModuleEntity, { jobId: model.id });
  await manager.insert(
    JobModuleEntity,
    ids.flatMap((jobId) => modules.map((row) => columns<JobModuleEntity>({ ...row, jobId }))),
  );
  await manager.query(
    `UPDATE jobs SET time_created = timestamptz '2026-03-01 12:00:00Z' + place * interval '1 microsecond'
       FROM unnest($1::uuid[]) WITH ORDINALITY AS made(id, place) WHERE jobs.id = made.id`,
    [ids],
  );
  return ids.toReversed();
}

/** Lists with several things in them. */
const LISTS: [name: string, fill: () => Promise<string>][] = [
  ['jobs', async () => `/api/v1/jobs/?tag=${await tagged()}`],
  ['datasets', async () => twice(() => world.dataset(), '/api/v1/datasets/')],
  ['classes', async () => `/api/v1/datasets/${await classes()}/classes/`],
  ['trainings', async () => twice(() => world.training(), '/api/v1/trainings/')],
  ['models', async () => twice(() => world.ownModel(), '/api/v1/models/')],
  ['networks', () => Promise.resolve('/api/v1/models/?kind=network')],
  ['index collections', async () => twice(() => world.collection(), '/api/v1/index-collection/')],
  ['identities', async () => `/api/v1/index-collection/${(await world.identity())[0]}/identities/`],
  ['dictionaries', async () => twice(() => world.dictionary(), '/api/v1/dictionaries/')],
  ['batches', async () => twice(() => world.batch(), '/api/v1/batches/')],
  ['reports', async () => twice(() => world.report(), '/api/v1/reports/')],
  ['exports', async () => twice(() => world.export(), '/api/v1/exports/')],
  ['artifacts', async () => `/api/v1/jobs/${(await world.minedJob()).jobId}/artifacts/`],
  ['segments', async () => `/api/v1/jobs/${await world.transcribedJob()}/detailed-results/`],
  ['segments of a kind', async () => `/api/v1/jobs/${await world.transcribedJob()}/detailed-results/?type=speech`],
  ['sums', async () => `/api/v1/jobs/${(await world.minedJob()).jobId}/summarized-results/`],
  ['files', async () => twice(() => world.file(), '/api/v2/storage/?folder=/contract')],
  ['folders and files', () => Promise.resolve('/api/v2/storage/?folder=/')],
  ['files, in their first shape', async () => twice(() => world.file(), '/api/v1/storage/?folder=/contract')],
  ['access keys', async () => twice(() => world.accessKey(), '/api/v1/access-keys/')],
  ['keys', () => Promise.resolve('/api/v1/api-keys/')],
  ['members', async () => twice(() => plantMember(world.gateway), '/api/v1/members/')],
  ['invitations', () => Promise.resolve('/api/v1/invitations/')],
  ['sessions', () => Promise.resolve('/api/v1/sessions/')],
  ['storage credentials', async () => twice(() => world.storageCredentials(), '/api/v1/storage-credentials/')],
  ['webhooks', async () => twice(() => world.webhook(), '/api/v1/webhooks/')],
  ['attempts', async () => `/api/v1/webhooks/${await world.webhook()}/attempts/`],
  ['transcripts', async () => twice(() => world.transcript(), '/api/v1/transcripts/')],
  ['variants', async () => `/api/v1/transcripts/${(await world.transcript())[0]}/variants/`],
  ['versions', async () => `${await variant()}versions/`],
  ['paragraphs', async () => `${await variant()}versions/1/paragraphs/`],
  ['found paragraphs', async () => `${await variant()}versions/1/paragraphs/?search=e`],
  ['audit log', () => Promise.resolve('/api/v1/audit-log/?resource=datasets')],
  ['workspaces', () => Promise.resolve('/api/v1/workspaces/')],
];

async function tagged(): Promise<string> {
  await manyJobs('exact', 4);
  return 'exact';
}

async function twice(make: () => Promise<unknown>, url: string): Promise<string> {
  for (let count = 0; count < 2; count += 1) await make();
  return url;
}

async function classes(): Promise<string> {
  const [datasetId = ''] = await world.datasetClass();
  await world.ask('POST', `/api/v1/datasets/${datasetId}/classes/`, { label: 'Jo' });
  return datasetId;
}

async function variant(): Promise<string> {
  const [transcriptId, variantId] = await world.transcript(['One here.', 'Two there.', 'Three.']);
  return `/api/v1/transcripts/${transcriptId}/variants/${variantId}/`;
}

describe('a list', () => {
  it.each(LISTS)('a list of %s gives by cursor what it gives by offset, in the same order', async (name, fill) => {
    const path = await fill();
    // Audit lines of a request are written a moment later.
    if (name === 'audit log') await new Promise((resolve) => setTimeout(resolve, 500));
    // The first shape of files comes in pages for a cursor alone.
    const whole = await page(
      withQuery(path, { limit: '1000', ...(path.startsWith('/api/v1/storage/') && { cursor: '' }) }),
    );
    expect(await byCursor(path)).toEqual(whole.data);
    const { data, next } = await page(withQuery(path, { cursor: '', offset: '1', limit: '1000' }));
    expect([data, next]).toEqual([whole.data.slice(1), null]);
  });

  it('a list of jobs is read to its end while each is deleted', async () => {
    const made = await manyJobs('gone', 250);
    const seen: string[] = [];
    for await (const { id } of adit.jobs.list({ tag: 'gone' })) {
      seen.push(id);
      await adit.jobs.delete(id);
    }
    expect(seen).toEqual(made);
    expect((await page('/api/v1/jobs/?tag=gone')).total).toBe(0);
  });

  it('goes on behind a row that is gone, and gives none twice while others come', async () => {
    const made = await manyJobs('moving', 5);
    const seen = await byCursor('/api/v1/jobs/?tag=moving', async () => {
      await world.ask('POST', '/api/v1/jobs/', { ...world.order, tag: 'moving' });
    });
    expect(seen.map(({ id }) => id)).toEqual(made);
  });

  it('a list refuses a cursor that is not its own', async () => {
    const jobs = await manyJobs('cursors', 3);
    const { next } = await page('/api/v1/jobs/?tag=cursors&cursor=&limit=1');
    const cursor = new URL(next ?? '').searchParams.get('cursor') ?? '';
    const of = (query: string): string => `/api/v1/jobs/?${query}`;
    for (const url of [
      of(`cursor=${cursor}`),
      of(`tag=other&cursor=${cursor}`),
      of(`tag=cursors&cursor=${cursor}A`),
      of(`tag=cursors&cursor=${cursor.slice(0, -4)}`),
      of('tag=cursors&cursor=nonsense'),
      of(`tag=cursors&cursor=${'x'.repeat(30_000)}`.slice(0, 15_000)),
      `/api/v1/exports/?cursor=${cursor}`,
      '/api/v1/models/?cursor=nonsense',
    ]) {
      const answer = await world.ask('GET', url);
      expect([url.slice(0, 60), answer.status, answer.json()['errors']]).toMatchObject([
        url.slice(0, 60),
        400,
        [{ pointer: '?cursor' }],
      ]);
    }
    const both = await world.ask('GET', of(`tag=cursors&cursor=${cursor}&offset=1`));
    expect([both.status, both.json()['errors']]).toMatchObject([400, [{ pointer: '?offset' }]]);
    // With either slash, and another size of pages.
    const rest = await page(`/api/v1/jobs?tag=cursors&limit=5&cursor=${cursor}`);
    expect(rest.data.map(({ id }) => id)).toEqual(jobs.slice(1));
  });

  it('a list is narrowed down to what was made within times that it shows', async () => {
    const [newest, , oldest] = await manyJobs('times', 3);
    const { manager } = world.gateway.db;
    await manager.update(JobEntity, { id: newest }, { timeCreated: new Date('2026-04-02T10:00:00.123Z') });
    await manager.update(JobEntity, { id: oldest }, { timeCreated: new Date('2026-01-31T23:59:59Z') });
    const found = async (query: string) => (await page(`/api/v1/jobs/?tag=times&${query}`)).total;
    expect(await found('time_created_from=2026-02-01')).toBe(2);
    expect(await found('time_created_to=2026-02-01')).toBe(1);
    expect(
      await found('time_created_from=2026-04-02T10:00:00.123000Z&time_created_to=2026-04-02T10:00:00.123000Z'),
    ).toBe(1);
    expect(await found('time_created_from=2026-04-02 12:00:00.123+02:00')).toBe(1);
    expect(await found('time_created_from=2026-04-02%2010:00:00.124')).toBe(0);
    for (const wrong of ['yesterday', '2026-13-01', '2026-02-01T25:00:00Z', '']) {
      const answer = await world.ask('GET', `/api/v1/jobs/?time_created_from=${wrong}`);
      expect([wrong, answer.status, answer.json()['errors']]).toMatchObject([
        wrong,
        400,
        [{ pointer: '?time_created_from' }],
      ]);
    }
    const models = await page('/api/v1/models/?limit=1&time_created_from=2100-01-01');
    expect([models.total, (await world.ask('GET', '/api/v1/models/?time_created_from=2100-01-01')).json()]).toEqual([
      0,
      [],
    ]);
    for (const list of ['trainings', 'webhooks', 'index-collection', 'index-collection/default_index/identities']) {
      expect((await world.ask('GET', `/api/v1/${list}/?time_created_from=2100-01-01`)).json()).toEqual([]);
    }
  });

  it('a list is documented with its cursor, its times and the most that a page holds', () => {
    const lists = OPERATIONS.filter(
      ({ route: { reply } }) => reply !== null && 'shape' in reply && 'total' in Object(reply.shape),
    );
    expect(lists.length).toBeGreaterThan(25);
    for (const { path, documented } of lists) {
      const named = new Map(documented.parameters.map(({ name, schema }) => [name, schema]));
      expect([path, named.has('cursor'), named.get('limit')?.['maximum']]).toEqual([path, true, 1000]);
      const untimed = /(detailed-results|summarized-results|gaps|items|errors|diff|paragraphs)\/$/.test(path);
      expect([path, named.has('time_created_from') && named.has('time_created_to')]).toEqual([path, !untimed]);
    }
  });
});
