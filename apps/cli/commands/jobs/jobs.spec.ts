/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { AditClient } from '@adit/client';
import { columns, DATABASE, JobEntity, JobModuleEntity, SegmentEntity, type Database } from '@adit/database';
import { startEngine } from '@adit/standalone';
import { sampleMedia } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deleteJobs, listJobs, retryJobs, showJob, stopJobs, watchJob } from './jobs.js';
import { ageOf } from './jobs.command.js';
import { linkTranscript } from '../transcript/transcript-link.js';

const apiKey = 'an-owner-of-the-specs';
const photo = sampleMedia().groups['sample1'] as string;
let dataDir: string;
let engine: Awaited<ReturnType<typeof startEngine>>;
let adit: AditClient;
let server: string;
let said = '';

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'adit-jobs-'));
  const localRoots = [dirname(photo)];
  engine = await startEngine({ dataDir, port: 0, host: '127.0.0.1', localRoots, quiet: true, apiKey });
  server = engine.url;
  adit = new AditClient({ url: server, apiKey });
  process.env['ADIT_API_KEY'] = apiKey;
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((said += String(text)), true));
}, 300_000);
beforeEach(() => {
  said = '';
});
afterAll(async () => {
  jest.restoreAllMocks();
  delete process.env['ADIT_API_KEY'];
  await engine?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const order = (tag: string, sources = [photo]) => ({ sources, modules: { face_recognition: {} }, tag });

describe('adit jobs', () => {
  it('lists, shows and follows a job by the name of its file', async () => {
    const { id } = await adit.jobs.create(order('followed'));
    await watchJob(id, { server });
    expect(said).toMatch(
      new RegExp(
        `^Job ${id}: completed, 100 %.*\nTag followed\nOf sample1.jpg\nBegan .* UTC\nEnded .* UTC\nface_recognition: completed`,
      ),
    );
    said = '';
    await listJobs({ server, limit: 20, search: 'SAMPLE1', state: 'completed' });
    expect(said).toMatch(new RegExp(`${id}  completed  100 %  .*  sample1.jpg\n`));
    said = '';
    await listJobs({ server, limit: 20, olderThan: ageOf('1h'), json: true });
    expect(JSON.parse(said)).toEqual([]);
    said = '';
    await showJob(id, { server, json: true });
    expect(JSON.parse(said)).toMatchObject({ id, source_names: ['sample1.jpg'] });
    await expect(showJob(randomUUID(), { server })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(retryJobs([id], { server })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(stopJobs([id], { server })).rejects.toMatchObject({ code: 'CONFLICT' });
  }, 120_000);

  it('deletes those that are named, or that ended long ago', async () => {
    const jobs = await Promise.all(['old', 'running', 'new'].map((tag) => adit.jobs.create(order(tag))));
    const [old, running, fresh] = await Promise.all(jobs.map(({ id }) => adit.jobs.wait(id)));
    const { manager } = engine.app.get<Database>(DATABASE, { strict: false }).dataSource;
    const timeCreated = new Date(Date.now() - 31 * 86_400_000);
    await manager.update(JobEntity, { id: old!.id }, { timeCreated });
    await manager.update(JobEntity, { id: running!.id }, { timeCreated, state: 'processing' });
    const olderThan = ageOf('30d');
    await deleteJobs([], { server, olderThan, dryRun: true });
    expect(said).toMatch(/1 job would be deleted\.\n$/);
    expect(said).toContain(old!.id);
    said = '';
    await deleteJobs([], { server, olderThan });
    expect(said).toBe('1 job deleted.\n');
    said = '';
    await deleteJobs([fresh!.id], { server, json: true });
    expect(JSON.parse(said)).toEqual([fresh!.id]);
    await manager.update(JobEntity, { id: running!.id }, { state: 'completed' });
    const left: string[] = [];
    for await (const { tag } of adit.jobs.list()) left.push(tag);
    expect(left).toEqual(expect.not.arrayContaining(['old', 'new']));
    expect(left).toContain('running');
    for (const [ids, more] of [
      [[], {}],
      [['x'], { olderThan }],
      [['x'], { state: 'failed' as const }],
    ] as const) {
      expect(() => deleteJobs([...ids], { server, ...more })).toThrow(/Say which jobs|--state goes with/);
    }
  }, 120_000);
});

it.each([
  ['36500d', 3_153_600_000],
  ['36501d', 'At most 36500d.'],
  ['999999w', 'At most 36500d.'],
  ['0d', 'Write it as 90m, 12h, 30d or 4w.'],
  ['30 days', 'Write it as 90m, 12h, 30d or 4w.'],
])('reads the age %s as %s', (text, read) => {
  if (typeof read === 'number') expect(ageOf(text)).toBe(read);
  else expect(() => ageOf(text)).toThrow(read);
});

describe('adit transcript link', () => {
  it('prints an address that opens the editor, with what the API needs in it', async () => {
    const { id } = await adit.jobs.create(order('heard'));
    await adit.jobs.wait(id);
    const { manager } = engine.app.get<Database>(DATABASE, { strict: false }).dataSource;
    // Inserts results like the aggregator: few specs can have the weights for speech.
    const moduleId = 'speech_recognition';
    await manager.delete(SegmentEntity, { jobId: id });
    await manager.update(JobModuleEntity, { jobId: id }, { moduleId, postedAs: moduleId });
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        ...{ jobId: id, seq: 0, moduleId, moduleSeq: 0, sourceIndex: 0, frameStart: null, frameEnd: null },
        ...{ timeStart: 0, timeEnd: 1, type: 'speech', label: 'speech', confidence: 0.9, detections: [] },
        ...{ meta: { text: 'Good evening.', language: 'en', speaker: null, confidence: 0.9 } },
        ...{ thumbnail: null, keyFrame: null, identityCollection: null, identityNumber: null },
      }),
    );
    const links: { url: string; transcript_id: string; scopes: string[] }[] = [];
    for (const readOnly of [false, true]) {
      said = '';
      await linkTranscript(id, { server: `${server}/`, expires: 60, name: 'link', readOnly, json: true });
      links.push(JSON.parse(said) as (typeof links)[number]);
    }
    // The second finds the transcript that the first has made.
    expect(links[1]?.transcript_id).toBe(links[0]?.transcript_id);
    for (const { url, transcript_id: transcript, scopes } of links) {
      expect(url.startsWith(`${server}/editor/${transcript}?token=`)).toBe(true);
      expect((await fetch(url)).status).toBe(200);
      const token = new URL(url).searchParams.get('token') ?? '';
      const reached = await fetch(`${server}/api/v1/transcripts/${transcript}/access/?token=${token}`);
      expect(await reached.json()).toMatchObject({ scopes });
    }
    expect(links.map(({ scopes }) => scopes)).toEqual([['transcript.read', 'transcript.write'], ['transcript.read']]);
  }, 120_000);

  it('needs a job that was heard, and an engine that serves the editor', async () => {
    const { id } = await adit.jobs.create(order('seen'));
    await adit.jobs.wait(id);
    const options = { expires: 60, name: 'link' };
    expect(() => linkTranscript(id, options)).toThrow('--server');
    await expect(linkTranscript(id, { ...options, server })).rejects.toMatchObject({ status: expect.any(Number) });
  }, 120_000);
});

describe('adit jobs delete with an age, in a terminal', () => {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  const isTTY = process.stderr.isTTY;
  afterEach(() => {
    Object.defineProperty(process, 'stdin', stdin);
    process.stderr.isTTY = isTTY;
  });

  /** Somebody who types `typed` when asked, standard output in a pipe. Returns what was asked. */
  const typing = (typed: string): { asked: () => string } => {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    Object.defineProperty(process, 'stdin', { value: input, configurable: true });
    process.stderr.isTTY = true;
    let asked = '';
    const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      asked += String(text);
      if (String(text).includes('[y/N]')) setImmediate(() => (typed === 'Ctrl-D' ? input.end() : input.write(typed)));
      return true;
    });
    return { asked: () => (write.mockRestore(), asked) };
  };

  it.each([
    ['y\n', 'deleted.'],
    ['\n', 'Nothing was deleted.'],
    ['never\n', 'Nothing was deleted.'],
    ['Ctrl-D', 'Nothing was deleted.'],
    ['\n', '[]\n', true],
  ])('the answer decides whether jobs are deleted: %j', async (typed, end, json = false) => {
    const { id } = await adit.jobs.create(order('asked'));
    await adit.jobs.wait(id);
    const { manager } = engine.app.get<Database>(DATABASE, { strict: false }).dataSource;
    await manager.update(JobEntity, { id }, { timeCreated: new Date(Date.now() - 90 * 86_400_000) });
    const { asked } = typing(typed);
    await deleteJobs([], { server, olderThan: ageOf('60d'), json });
    expect(asked()).toContain('Delete 1 job with all that they found, for good? [y/N] ');
    expect(said).toContain(end);
    const left = await adit.request('GET /v1/jobs/', { query: { tag: 'asked' } });
    expect(left.total).toBe(typed === 'y\n' ? 0 : 1);
    await adit.jobs.deleteAll({ tag: 'asked' });
  });
});
