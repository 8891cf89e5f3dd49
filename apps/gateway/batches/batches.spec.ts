/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { Batch, BatchFileResult, BatchPage, Job, JobPage, Problem } from '@adit/contracts';
import { ApiKeyEntity, BatchEntity, JobEntity, WorkspaceEntity } from '@adit/database';
import { ABORTED_BY_ONE_MESSAGE, BatchCommands } from '@adit/jobs';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { In, IsNull } from 'typeorm';
import { z } from 'zod';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const photo = sampleMedia().groups['sample1'] as string;
const order = { sources: [photo], modules: { face_recognition: {} } };
let gateway: TestGateway;
let base: string;

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(photo)], maxBodyBytes: 64 << 10 });
  await gateway.app.listen(0, '127.0.0.1');
  base = `${await gateway.app.getUrl()}/api/v1/`;
}, BOOT_MS);
afterAll(() => gateway?.close());

const ask: TestGateway['ask'] = (...args) => gateway.ask(...args);
async function newBatch(name: string, parent: string | null = null): Promise<Batch> {
  const reply = await ask('POST', '/api/v1/batches/', { name, ...(parent === null ? {} : { parent }) });
  return Batch.parse(reply.json());
}
async function newJob(batch: string, tag = ''): Promise<Job> {
  return Job.parse((await ask('POST', '/api/v1/jobs/', { ...order, batch, tag })).json());
}
const listed = async (url: string): Promise<string[]> =>
  JobPage.parse((await ask('GET', url)).json()).data.map(({ id }) => id);

async function upload(
  files: Record<string, string | Buffer>,
  fields: Record<string, string> = {},
  field = 'files',
  key = gateway.key,
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, text] of Object.entries(files)) {
    form.append(field, new Blob([new Uint8Array(Buffer.from(text))], { type: 'text/csv' }), name);
  }
  const headers = { authorization: `Key ${key}` };
  const reply = await fetch(`${base}batches/files/`, { method: 'POST', body: form, headers });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}
const uploaded = async (...args: Parameters<typeof upload>): Promise<BatchFileResult[]> => {
  const { status, body } = await upload(...args);
  expect([status, body]).toEqual([200, expect.any(Array)]);
  return z.array(BatchFileResult).parse(body);
};

describe('batches', () => {
  it('batches make a tree that is created, read, listed and searched', async () => {
    const root = await newBatch('Election night');
    const child = await newBatch('Studio', root.id);
    expect([root.parent, child.parent]).toEqual([null, root.id]);
    expect((await ask('GET', `/api/v1/batches/${child.id}/`)).json()).toEqual(child);
    const found = async (query: string): Promise<Batch[]> =>
      BatchPage.parse((await ask('GET', `/api/v1/batches/?${query}`)).json()).data;
    expect(await found('')).toEqual([child, root]);
    expect(await found('parent=null')).toEqual([root]);
    expect(await found(`parent=${root.id}`)).toEqual([child]);
    expect(await found('parent=nonsense')).toEqual([]);
    expect(await found('search=ELECTION')).toEqual([root]);
    expect(await found('search=%25')).toEqual([]);
    expect(await found('limit=1&offset=1')).toEqual([root]);
    const refused: [unknown, string][] = [
      [{}, '/name'],
      [{ name: ' ' }, '/name'],
      [{ name: 'x', parent: randomUUID() }, '/parent'],
      [{ name: 'x', parent: 'nonsense' }, '/parent'],
    ];
    for (const [body, pointer] of refused) {
      const reply = await ask('POST', '/api/v1/batches/', body);
      expect([reply.status, Problem.parse(reply.json()).errors[0]?.pointer]).toEqual([400, pointer]);
    }
  });

  it('batches hold jobs: the filter of the job list finds them', async () => {
    const [one, other] = [await newBatch('one'), await newBatch('other')];
    const first = await newJob(one.id, 'a');
    const second = await newJob(one.id, 'b');
    const third = await newJob(other.id, 'a');
    const alone = Job.parse((await ask('POST', '/api/v1/jobs/', order)).json());
    expect(await listed(`/api/v1/jobs/?batch=${one.id}`)).toEqual([second.id, first.id]);
    // Created, read alone and listed, it is the same.
    expect([first.batch, third.batch, alone.batch]).toEqual([one.id, other.id, null]);
    const read = async ({ id }: Job) => Job.parse((await ask('GET', `/api/v1/jobs/${id}/`)).json()).batch;
    expect([await read(first), await read(third), await read(alone)]).toEqual([one.id, other.id, null]);
    const { data } = JobPage.parse((await ask('GET', '/api/v1/jobs/')).json());
    expect(new Map(data.map(({ id, batch }) => [id, batch])).get(first.id)).toBe(one.id);
    expect(await listed(`/api/v1/jobs/?batch=${one.id}&tag=a`)).toEqual([first.id]);
    expect(await listed(`/api/v1/jobs/?batch=${other.id}`)).toEqual([third.id]);
    for (const batch of ['nonsense', randomUUID()]) expect(await listed(`/api/v1/jobs/?batch=${batch}`)).toEqual([]);
    expect(await listed(`/api/v1/batches/${one.id}/jobs/?limit=1`)).toEqual([second.id]);
    expect(await listed(`/api/v1/batches/${one.id}/jobs/?state=completed`)).toEqual([]);
    for (const batch of ['nonsense', randomUUID()]) {
      const reply = await ask('POST', '/api/v1/jobs/', { ...order, batch });
      expect([reply.status, Problem.parse(reply.json()).errors[0]?.pointer]).toEqual([400, '/batch']);
    }
  });

  it('batches are deleted with those in them, and their jobs are aborted', async () => {
    const root = await newBatch('root');
    const child = await newBatch('child', root.id);
    const grandchild = await newBatch('grandchild', child.id);
    const beside = await newBatch('beside');
    const jobs = [await newJob(root.id), await newJob(grandchild.id)];
    const ended = await newJob(child.id);
    await ask('POST', `/api/v1/jobs/${ended.id}/stop/`);
    const kept = await newJob(beside.id);
    const reply = await ask('DELETE', `/api/v1/batches/${root.id}/`);
    expect([reply.status, reply.json()]).toEqual([200, { message: 'The batch root was deleted.' }]);
    for (const { id } of [root, child, grandchild])
      expect((await ask('GET', `/api/v1/batches/${id}/`)).status).toBe(404);
    expect((await ask('DELETE', `/api/v1/batches/${root.id}/`)).status).toBe(404);
    await gateway.app.get(BatchCommands).abort(root.id);
    for (const { id } of [...jobs, ended]) {
      expect(Job.parse((await ask('GET', `/api/v1/jobs/${id}/`)).json()).state).toBe('stopped');
    }
    expect(await listed(`/api/v1/jobs/?batch=${beside.id}`)).toEqual([kept.id]);
    expect(Job.parse((await ask('GET', `/api/v1/jobs/${kept.id}/`)).json()).state).toBe('waiting');
  });

  it('batches of thousands are gone at once, and their jobs are aborted behind the reply, some by each message', async () => {
    const file = `source,tag,modules\n${`${photo},,face_recognition\n`.repeat(450)}`;
    const root = await newBatch('thousands');
    await uploaded({ 'one.csv': file, 'two.csv': file }, { parent_id: root.id });
    const { manager } = gateway.db;
    // A tree of a thousand: below one of the files' batches each lies in the one before, or beside it.
    const [first] = await manager.findBy(BatchEntity, { parentId: root.id });
    const ids = Array.from({ length: 1000 }, () => randomUUID());
    const rows = ids.map((id, at) => ({
      ...{ id, workspaceId: gateway.workspaceId, name: `${at}` },
      parentId: at === 0 ? first!.id : ids[at - (at % 50 === 0 ? 50 : 1)]!,
    }));
    await manager.insert(BatchEntity, rows);
    const deep = await newJob(ids[999]!);
    const all = {
      batchId: In([root.id, ...(await manager.findBy(BatchEntity, { parentId: root.id })).map(({ id }) => id)]),
    };
    const stopped = () => manager.countBy(JobEntity, { ...all, state: 'stopped' });
    const reply = await ask('DELETE', `/api/v1/batches/${root.id}/`);
    expect([reply.status, reply.json()]).toEqual([200, { message: 'The batch thousands was deleted.' }]);
    for (const id of [root.id, ids[0]!, ids[999]!])
      expect((await ask('GET', `/api/v1/batches/${id}/`)).status).toBe(404);
    expect(await stopped()).toBe(0);
    const commands = gateway.app.get(BatchCommands);
    const counts: number[] = [];
    for (let message = 0; message < 4; message += 1) {
      await commands.abort(root.id);
      counts.push(await stopped());
    }
    expect(
      counts.map((count, at) => (at + 1) * ABORTED_BY_ONE_MESSAGE - count).every((left) => left === 0 || left === 1),
    ).toBe(true);
    await commands.abort(root.id);
    expect(await manager.countBy(BatchEntity, { id: In([root.id, ...ids]) })).toBe(0);
    expect(await manager.countBy(JobEntity, { state: 'stopped', batchId: IsNull() })).toBeGreaterThanOrEqual(901);
    expect(Job.parse((await ask('GET', `/api/v1/jobs/${deep.id}/`)).json())).toMatchObject({
      state: 'stopped',
      batch: null,
    });
    // A message that comes twice finds nothing to do.
    await commands.abort(root.id);
  }, 600_000);

  it('batches whose deletion was broken off are gone at once, and finished later', async () => {
    const batch = await newBatch('broken off');
    const job = await newJob(batch.id);
    await gateway.db.manager.update(BatchEntity, { id: batch.id }, { timeDeleted: new Date() });
    expect((await ask('GET', `/api/v1/batches/${batch.id}/`)).status).toBe(404);
    const commands = gateway.app.get(BatchCommands);
    await commands.finishDeletions(new Date(), () => Promise.resolve(true));
    expect(await gateway.db.manager.countBy(BatchEntity, { id: batch.id })).toBe(1);
    await commands.finishDeletions(new Date(Date.now() + 61_000), () => Promise.resolve(true));
    expect(await gateway.db.manager.countBy(BatchEntity, { id: batch.id })).toBe(0);
    expect(Job.parse((await ask('GET', `/api/v1/jobs/${job.id}/`)).json()).state).toBe('stopped');
  });

  it('batches are their workspace’s alone', async () => {
    const batch = await newBatch('mine');
    const workspaceId = randomUUID();
    const key = 'a-key-of-another-workspace';
    const { manager } = gateway.db;
    await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
    const row = {
      id: randomUUID(),
      workspaceId,
      name: 'k',
      prefix: 'a',
      hash: hashApiKey(key),
      role: 'admin' as const,
    };
    await manager.insert(ApiKeyEntity, row);
    const headers = { authorization: `Key ${key}` };
    for (const path of ['', 'jobs/']) {
      expect((await ask('GET', `/api/v1/batches/${batch.id}/${path}`, undefined, headers)).status).toBe(404);
    }
    expect((await ask('DELETE', `/api/v1/batches/${batch.id}/`, undefined, headers)).status).toBe(404);
    expect((await ask('POST', '/api/v1/jobs/', { ...order, batch: batch.id }, headers)).status).toBe(400);
    expect((await ask('POST', '/api/v1/batches/', { name: 'x', parent: batch.id }, headers)).status).toBe(400);
    expect((await ask('GET', '/api/v1/batches/', undefined, headers)).json()).toMatchObject({ total: 0 });
  });
});

describe('files of jobs', () => {
  it('files of jobs become a batch each, with a job a row', async () => {
    const modules = '"{""face_recognition"": {""max_distance"": 0.8}}"';
    const results = await uploaded({
      'evening.csv': `source,tag,modules\n${photo},first,face_recognition;object_recognition\n\n${photo},second,${modules}\n`,
      'other.csv': `\uFEFFmodules;source\r\nface_recognition;${photo}\r\n`,
    });
    expect(results.map(({ file, success, error, batch }) => [file, success, error, batch?.name])).toEqual([
      ['evening.csv', true, null, 'evening'],
      ['other.csv', true, null, 'other'],
    ]);
    const jobs = JobPage.parse((await ask('GET', `/api/v1/jobs/?batch=${results[0]!.batch!.id}`)).json()).data;
    const byTag = Object.fromEntries(jobs.map((job) => [job.tag, job]));
    expect(Object.keys(byTag).sort()).toEqual(['first', 'second']);
    expect(Object.keys(byTag['first']!.modules)).toEqual(['face_recognition', 'object_recognition']);
    expect(byTag['second']!.modules['face_recognition']).toMatchObject({ max_distance: 0.8 });
    expect(jobs.every(({ state, media_type }) => state === 'waiting' && media_type === 'image')).toBe(true);
    expect(jobs.every(({ batch }) => batch === results[0]!.batch!.id)).toBe(true);
  });

  it('files with a wrong line are refused whole, with every line, and the others are taken', async () => {
    const before = (await ask('GET', '/api/v1/jobs/')).json()['total'];
    const good = `${photo},,face_recognition`;
    const [wrong, right] = await uploaded({
      'wrong.csv': [
        'source,tag,modules',
        good,
        ',x,face_recognition',
        `${photo},x,`,
        `${photo},x,no_such_module`,
        `${photo},x,{broken`,
        'https://10.0.0.1/a.mp4,x,face_recognition',
        `${photo},x,"{""face_recognition"": {""max_distance"": 9}}"`,
        `${photo},x,face_recognition,too many`,
      ].join('\n'),
      'right.csv': `source,tag,modules\n${good}`,
    });
    expect(wrong).toMatchObject({ file: 'wrong.csv', success: false, batch: null });
    const lines = wrong!.error!.split('\n').map((line) => /^Line (\d+): ./.exec(line)?.[1]);
    expect(lines.sort()).toEqual(['3', '4', '5', '6', '7', '8', '9']);
    expect(right).toMatchObject({ success: true });
    expect((await ask('GET', '/api/v1/jobs/')).json()['total']).toBe((before as number) + 1);
  });

  it('files of another kind are refused with the reason', async () => {
    const results = await uploaded({
      'no-header.csv': `${photo},x,face_recognition\n`,
      'empty.csv': 'source,tag,modules\n',
      'latin1.csv': Buffer.from('source,modules\nm\xfcller,x\n', 'latin1'),
      'quote.csv': `source,tag,modules\n"${photo},x,face_recognition\n`,
    });
    expect(results.map(({ success, error }) => [success, error])).toEqual([
      [false, expect.stringMatching(/header/)],
      [false, expect.stringMatching(/no jobs/)],
      [false, expect.stringMatching(/UTF-8/)],
      [false, expect.stringMatching(/Line 2.*quote/)],
    ]);
  });

  it('files of jobs count for the jobs that a key may make a day', async () => {
    const made = await ask('POST', '/api/v1/api-keys/', { name: 'limited', role: 'member', jobs_per_day: 5 });
    const { key } = made.json<{ key: string }>();
    const file = (jobs: number): string => `source,tag,modules\n${`${photo},,face_recognition\n`.repeat(jobs)}`;
    const send = async (...args: Parameters<typeof upload>) => upload(args[0], args[1], args[2], key);
    const first = await send({ 'bad.csv': 'nonsense', 'three.csv': file(3), 'four.csv': file(4), 'one.csv': file(1) });
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/^"jobs";r=1;/)]);
    const results = z.array(BatchFileResult).parse(first.body);
    expect(results.map(({ success }) => success)).toEqual([false, true, false, true]);
    expect(results[2]!.error).toMatch(/^This key may send 5 jobs a day, 2 now, and these are 4; try again in \d+ s\.$/);
    const second = await send({ 'two.csv': file(2) });
    expect([second.status, Problem.parse(second.body).code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(10_000);
    const authorization = { authorization: `Key ${key}` };
    expect((await ask('POST', '/api/v1/jobs/', order, authorization)).status).toBe(200);
    expect((await ask('POST', '/api/v1/jobs/', order, authorization)).status).toBe(429);
  });

  it('files of jobs lie in the parent that is given or named', async () => {
    const file = { 'a.csv': `source,tag,modules\n${photo},,face_recognition` };
    const parent = await newBatch('given');
    expect((await uploaded(file, { parent_id: parent.id }))[0]!.batch!.parent).toBe(parent.id);
    const [first] = await uploaded(file, { parent_name: 'named' });
    const [second] = await uploaded(file, { parent_name: 'named' });
    expect(second!.batch!.parent).toBe(first!.batch!.parent);
    expect((await ask('GET', `/api/v1/batches/${first!.batch!.parent}/`)).json()).toMatchObject({
      name: 'named',
      parent: null,
    });
    // A request of which nothing is taken makes nothing.
    await uploaded({ 'bad.csv': 'nonsense' }, { parent_name: 'never' });
    expect((await ask('GET', '/api/v1/batches/?search=never')).json()).toMatchObject({ total: 0 });
    const refused = [
      upload(file, { parent_id: parent.id, parent_name: 'x' }),
      upload(file, { parent_id: randomUUID() }),
      upload(file, { other: 'x' }),
      upload({}, { parent_name: 'x' }),
      upload(file, {}, 'file'),
    ];
    for (const reply of refused) expect((await reply).status).toBe(400);
    expect((await upload({ 'big.csv': 'x'.repeat(70 << 10) })).status).toBe(413);
    expect((await ask('POST', '/api/v1/batches/files/', {})).status).toBe(415);
  });
});
