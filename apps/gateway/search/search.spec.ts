import { columns, ExportEntity, JobEntity, SegmentEntity, WorkspaceEntity } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { noteSearchable } from '@adit/search';
import { indexAll } from '@adit/search/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { World } from '../contract/world.js';

interface Page {
  total: number;
  total_is_exact: boolean;
  next: string | null;
  fuzzy: boolean;
  facets: Record<string, { value: string; count: number }[]> | null;
  data: Hit[];
}

interface Hit {
  job_id: string;
  number: number | null;
  link: string;
  exact: boolean;
  type: string;
  module: string;
  tc_start: string;
  transcript: { transcript_id: string; paragraph_id: string; version: number } | null;
  matches: { field: string; text: string; words: { start: number; end: number }[] }[];
}

let world: World;
beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

const index = () => indexAll(world.gateway.db, world.gateway.app.get(ModuleRegistry));
const get = async (query: Record<string, string>) =>
  world.ask('GET', `/api/v1/search/?${new URLSearchParams(query).toString()}`);
const find = async (query: Record<string, string>): Promise<Page> => {
  const reply = await get(query);
  expect([reply.status, reply.text.slice(0, 500)]).toEqual([200, expect.anything()]);
  return reply.json<Page>();
};
/** Words that are shown as asked for. */
const marked = ({ matches }: Hit) =>
  matches.flatMap(({ text, words }) => words.map(({ start, end }) => text.slice(start, end)));

interface Found {
  type: string;
  moduleId: string;
  label: string;
  meta?: Record<string, unknown>;
  time?: number;
}

/** A job with such segments, as the aggregator leaves it, indexed. */
async function archived(...found: Found[]): Promise<string> {
  const jobId = await world.job();
  const { manager } = world.gateway.db;
  for (const [seq, { time = seq, meta = {}, ...segment }] of found.entries()) {
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        ...{
          jobId,
          seq,
          moduleSeq: seq,
          sourceIndex: 0,
          frameStart: 0,
          frameEnd: 0,
          timeStart: time,
          timeEnd: time + 1,
        },
        ...{ confidence: 0.9, detections: [], thumbnail: null, keyFrame: null, meta, ...segment },
      }),
    );
  }
  await manager.update(JobEntity, { id: jobId }, { segmentCount: found.length });
  await noteSearchable(manager, [jobId]);
  await index();
  return jobId;
}

const said = (text: string, language = 'en', speaker: string | null = null): Found => ({
  ...{ type: 'speech', moduleId: 'speech_recognition', label: 'speech', meta: { text, language, speaker } },
});
const seen = (label: string): Found => ({ type: 'object', moduleId: 'object_scene_recognition', label });
const shown = (label: string): Found => ({
  type: 'face',
  moduleId: 'face_recognition',
  label,
  meta: { person: label },
});
const named = (label: string): Found => ({
  type: 'lower_third',
  moduleId: 'lower_third_recognition',
  label,
  meta: { label },
});
const place = (name: string, latitude: string, longitude: string): Found => ({
  ...{ type: 'landmark', moduleId: 'landmark_recognition', label: name },
  meta: { landmark: { name, type: 'castle', location: ['Germany'], latitude, longitude } },
});

describe('the search', () => {
  it('finds what every module says, with why, where and when', async () => {
    const jobId = await archived(
      shown('Zoë Quartz'),
      seen('unicycle'),
      said('The quarterly zebrafinch report', 'en', 'Speaker 7'),
      named('Xavier Quill'),
      place('Castle Zwingenberg', '49.4167', '9.0333'),
    );
    const numberOf = async (query: Record<string, string>) => (await find(query)).data.map(({ number }) => number);
    expect(await numberOf({ who: 'zoe quartz' })).toEqual([0]);
    expect(await numberOf({ q: 'what:unicycles' })).toEqual([1]);
    expect(await numberOf({ said: 'zebrafinch', who: '"speaker 7"' })).toEqual([2]);
    expect(await numberOf({ written: 'Quill' })).toEqual([3]);
    expect(await numberOf({ who: '"xavier quill"' })).toEqual([3]);
    expect(await numberOf({ where: 'zwingenberg germany' })).toEqual([4]);
    expect(await numberOf({ q: 'zwingenberg', box: '49,8,50,10' })).toEqual([4]);
    expect(await numberOf({ q: 'zwingenberg', box: '50,8,51,10' })).toEqual([]);
    expect(await numberOf({ q: 'unicycle', module: 'object_recognition' })).toEqual([1]);
    const [hit] = (await find({ q: 'reports' })).data;
    if (hit === undefined) throw new Error('nothing was found');
    expect(hit).toMatchObject({
      ...{ job_id: jobId, number: 2, module: 'speech_recognition', type: 'speech', exact: true, transcript: null },
      ...{ time_start: 2, time_end: 3, tc_start: expect.stringMatching(/^\d\d:/), language: 'en' },
      matches: [{ field: 'said' }, { field: 'who', text: 'Speaker 7', words: [] }],
    });
    expect(marked(hit)).toEqual(['report']);
    // The link answers the segment itself.
    const reply = await world.ask('GET', new URL(hit.link).pathname + new URL(hit.link).search);
    expect(reply.json<{ data: object[] }>().data).toMatchObject([
      { meta: { text: 'The quarterly zebrafinch report' } },
    ]);
  });

  it('pages by a cursor, exact results first, and counts', async () => {
    await archived(
      ...Array.from({ length: 7 }, (_, at) => said(`wombat ${'and '.repeat(at)}`)),
      said('hairywombats', 'en'),
    );
    const all = await find({ q: 'wombat', limit: '50', facets: 'true' });
    const total = all.fuzzy ? 8 : 7;
    expect(all).toMatchObject({ total, total_is_exact: true });
    expect(all.facets?.['module']).toEqual([{ value: 'speech_recognition', count: total }]);
    const paged: Hit[] = [];
    let page = await find({ q: 'wombat', limit: '3', cursor: '' });
    for (;;) {
      paged.push(...page.data);
      if (page.next === null) break;
      const { pathname, search } = new URL(page.next);
      page = (await world.ask('GET', pathname + search)).json<Page>();
    }
    expect(paged).toEqual(all.data);
    if (all.fuzzy) expect(paged.map(({ exact }) => exact)).toEqual([...Array<boolean>(7).fill(true), false]);
    expect((await find({ q: 'wombat', limit: '3', offset: '6' })).data).toEqual(all.data.slice(6));
    expect((await find({ q: 'wombat', fuzzy: 'false' })).total).toBe(7);
  });

  it('finds several things near each other', async () => {
    await archived(
      { ...shown('Ottoline Fjord'), time: 10 },
      { ...seen('tricycle'), time: 12 },
      { ...said('the marzipan'), time: 13 },
      { ...seen('tricycle'), time: 100 },
    );
    const q = 'who:"ottoline fjord" what:tricycle said:marzipan';
    expect((await find({ q })).data).toEqual([]);
    expect((await find({ q, together: '5' })).data.map(({ number }) => number).toSorted()).toEqual([0, 1, 2]);
  });

  it.each([
    [{ q: '' }, '?q'],
    [{ q: 'NOT a' }, '?q'],
    [{ who: '(' }, '?who'],
    [{ q: 'a', box: '1,2,3' }, '?box'],
    [{ q: 'a', when: 'yesterday' }, '?when'],
    [{ q: 'a', together: '3601' }, '?together'],
    [{ q: 'a', language: 'german' }, '?language'],
    [{ q: 'a', offset: '20000' }, '?offset'],
    [{ q: 'a', cursor: 'x' }, '?cursor'],
    [{ q: 'a'.repeat(1001) }, '?q'],
    [{ q: `${'a '.repeat(30)}NOT (${'b '.repeat(19)})`, who: 'NOT c OR d' }, '?who'],
    [{ q: `${'a '.repeat(30)}NOT (${'b '.repeat(19)})`, who: 'd NOT c' }, '?q'],
    [
      {
        q: Array.from({ length: 30 }, (_, at) => `a${at}`).join(' '),
        who: Array.from({ length: 30 }, (_, at) => `b${at}`).join(' '),
      },
      '?q',
    ],
  ])('refuses %j with what is wrong', async (query, pointer) => {
    const reply = await get(query);
    expect([reply.status, reply.json()]).toMatchObject([400, { code: 'VALIDATION', errors: [{ pointer }] }]);
  });

  it('lists what the filters leave, the newest first, where nothing is asked', async () => {
    const [first, second] = [await archived(said('one'), said('two')), await archived(shown('Three'))];
    const all = await find({ limit: '3', cursor: '' });
    expect(all.data.map((hit) => hit.job_id)).toEqual([second, first, first]);
    const { pathname, search } = new URL(all.next ?? '');
    const more = (await world.ask('GET', pathname + search)).json<Page>();
    expect(more.data.some((hit) => [first, second].includes(hit.job_id))).toBe(false);
    expect((await find({ job_id: first })).data.map(({ number }) => number)).toEqual([1, 0]);
  });

  it('finds nothing of other workspaces', async () => {
    const jobId = await archived(said('ornithopter'));
    const other = randomUUID();
    const { manager } = world.gateway.db;
    await manager.insert(WorkspaceEntity, { id: other, name: 'other', signingSecret: 's' });
    expect((await find({ q: 'ornithopter' })).total).toBe(1);
    await manager.update(JobEntity, { id: jobId }, { workspaceId: other });
    await manager.query('UPDATE search_documents SET workspace_id = $2 WHERE job_id = $1', [jobId, other]);
    expect((await find({ q: 'ornithopter' })).total).toBe(0);
  });

  it('finds the newest version of a transcript instead of what was recognised', async () => {
    const [transcript, variant] = await world.transcript(['the platypus sings', 'a second paragraph']);
    await index();
    const [hit] = (await find({ said: 'platypus' })).data;
    expect(hit).toMatchObject({ number: null, transcript: { transcript_id: transcript, version: 1 } });
    const link = new URL(hit?.link ?? '');
    const paragraph = await world.ask('GET', link.pathname);
    expect(paragraph.json()).toMatchObject({ id: hit?.transcript?.paragraph_id, text: 'the platypus sings' });
    const edited = await world.ask('PUT', link.pathname, { text: 'the echidna sings' });
    expect(edited.status).toBe(200);
    // Before it is indexed again, it is not shown under what it was.
    expect((await find({ said: 'platypus' })).data).toEqual([]);
    await index();
    expect((await find({ said: 'platypus' })).data).toEqual([]);
    expect((await find({ said: 'echidna' })).data).toMatchObject([{ transcript: { version: 2 } }]);
    await world.ask('DELETE', `/api/v1/transcripts/${transcript}/`);
    expect((await find({ said: 'echidna' })).total).toBe(0);
    await index();
    // What was recognised is found again.
    expect((await find({ said: 'platypus' })).data).toMatchObject([{ transcript: null }]);
    expect(variant).toBeDefined();
  });

  it('knows people by the names that they are given, and forgets them', async () => {
    const { manager } = world.gateway.db;
    const [collection, indexId] = await world.identity();
    const jobId = await archived(shown('unknown'));
    await manager.update(SegmentEntity, { jobId }, { indexId });
    const one = `/api/v1/index-collection/${encodeURIComponent(collection)}/identities/`;
    await world.ask('PUT', one, { index_id: indexId, label: 'Wilhelmina Ax' });
    await index();
    expect((await find({ who: 'wilhelmina' })).data).toMatchObject([
      { job_id: jobId, matches: [{ text: 'Wilhelmina Ax' }] },
    ]);
    await world.ask('DELETE', `${one}${indexId}/`);
    expect((await find({ who: 'wilhelmina' })).total).toBe(0);
    await index();
    expect((await find({ who: 'wilhelmina' })).total).toBe(0);
    expect((await find({ who: 'unknown', job_id: jobId })).total).toBe(1);
  });

  it('shows the part of a long text that has what was asked for', async () => {
    await archived(
      said(`${'so '.repeat(3_300)}the pangolins ${'so '.repeat(6_600)}the cassowary ${'so '.repeat(3_000)}`),
    );
    for (const [word, shown] of [
      ['pangolin', 'pangolins'],
      ['cassowary', 'cassowary'],
      ['"the cassowary"', 'the cassowary'],
      ['cassowari', 'cassowary'],
    ] as const) {
      const { data } = await find({ said: word });
      expect(data.map((hit) => marked(hit).join(' '))).toEqual([shown]);
      expect(data[0]?.matches[0]?.text.length).toBeLessThanOrEqual(400);
    }
  });

  it('finds nothing of a deleted job, and keeps nothing of it', async () => {
    const jobId = await archived(said('quokka'));
    expect((await find({ q: 'quokka' })).total).toBe(1);
    expect((await world.ask('DELETE', `/api/v1/jobs/${jobId}/`)).status).toBe(200);
    expect((await find({ q: 'quokka' })).total).toBe(0);
    const left = async (table: string, key: string) =>
      (await world.gateway.db.query<unknown[]>(`SELECT 1 FROM ${table} WHERE ${key} = $1`, [jobId])).length;
    expect(await left('search_documents', 'job_id')).toBe(0);
    expect(await left('search_feed', 'id')).toBe(0);
  });

  it('is exported by what it asks, which goes with any of the jobs that it found', async () => {
    const [first, second] = [await archived(said('axolotl one')), await archived(said('axolotl two'))];
    const order = (config: object) => ({ strategy: 'segments_export', config: { format: 'csv', ...config } });
    const wrong = await world.ask('POST', '/api/v1/exports/', order({ search: { said: 'a OR' } }));
    expect([wrong.status, wrong.json()]).toMatchObject([
      400,
      { errors: [{ pointer: '/config/search/said', code: 'unexpected_end' }] },
    ]);
    for (const config of [{ search: { sad: 'x' } }, { search: {}, job_id: first }, { search: {}, source: 0 }, {}]) {
      expect((await world.ask('POST', '/api/v1/exports/', order(config))).status).toBe(400);
    }
    const { exportId } = await world.exported(order({ search: { said: 'axolotl', time_created_from: '2026-01-01' } }));
    const path = `/api/v1/exports/${exportId}/`;
    const { manager } = world.gateway.db;
    await manager.update(ExportEntity, { id: exportId }, { foundIn: [first, second] });
    expect((await world.ask('GET', path)).status).toBe(200);
    // Nobody has erased anything of it yet.
    await manager.update(JobEntity, { id: second }, { timeDeleted: new Date() });
    expect((await world.ask('GET', path)).status).toBe(404);
    expect((await world.ask('GET', `${path}artifacts/`)).status).toBe(404);
    await manager.update(JobEntity, { id: second }, { timeDeleted: null });
    expect((await world.ask('DELETE', `/api/v1/jobs/${second}/`)).status).toBe(200);
    expect(await manager.countBy(ExportEntity, { id: exportId })).toBe(0);
  });

  it('is indexed again as a whole when an admin asks, and finds everything meanwhile', async () => {
    await archived(said('numbat'));
    const reply = await world.ask('POST', '/api/v1/search/rebuild/');
    expect(reply.status).toBe(200);
    expect(reply.json<{ jobs: number }>().jobs).toBeGreaterThan(0);
    expect((await find({ q: 'numbat' })).total).toBe(1);
  });
});
