import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Bus } from '@adit/bus';
import { AditError, Artifact, DetailedResult, Export, ResourceEventName, type JobResultsExport } from '@adit/contracts';
import {
  ArtifactEntity,
  BatchEntity,
  columns,
  ExportEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  openDatabase,
  ReportEntity,
  ReportItemEntity,
  SegmentEntity,
  SummaryEntity,
  WebhookEntity,
  type Database,
} from '@adit/database';
import { DictionaryStore } from '@adit/dictionaries';
import { ModelStore } from '@adit/model-store';
import { BatchCommands, JobCommands, JobSettings } from '@adit/jobs';
import { exportPrefix } from '@adit/artifacts';
import { Sweeper } from '@adit/retention';
import { OutboxRelay } from '@adit/outbox';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { specDatabase, unzip, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { askedFor, raised } from '../testing/raised-events.js';
import { Exports } from './exports.js';
import { JobResults } from '../endings/job-results.js';
import { Reports } from './reports.js';

const workspaceId = randomUUID();
const WEEK = 7 * 86_400_000;
let folder: string;
let own: SpecDatabase;
let database: Database;
let manager: EntityManager;
let objects: ObjectStore;
let outbox: OutboxRelay;
let results: JobResults;
let exporting: Exports;
let reports: Reports;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  folder = await mkdtemp(join(tmpdir(), 'adit-exports-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  ({ manager } = database.dataSource);
  objects = await FilesystemObjectStore.open(folder);
  // Messages are read from the outbox, so none is published.
  const bus = { publish: () => Promise.reject(new Error('kept')) } as unknown as Bus;
  outbox = new OutboxRelay(database.dataSource, bus);
  results = new JobResults(database.dataSource, objects, await loadModules());
  exporting = new Exports(database.dataSource, outbox, objects, results);
  reports = new Reports(database.dataSource);
});
afterAll(async () => {
  await exporting?.onApplicationShutdown();
  await reports?.onApplicationShutdown();
  await outbox?.onApplicationShutdown();
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const table of ['jobs', 'exports', 'reports', 'batches', 'artifacts', 'webhooks', 'outbox']) {
    await manager.query(`DELETE FROM ${table}`);
  }
});

async function newJob(segments: number, batchId: string | null = null): Promise<string> {
  const jobId = randomUUID();
  const sources = ['storage://film'];
  await manager.insert(JobEntity, {
    ...{
      id: jobId,
      workspaceId,
      batchId,
      tag: '',
      state: 'completed',
      priority: 5,
      rank: 4,
      mediaType: 'video',
    },
    ...{ segmentCount: segments },
  });
  await manager.insert(
    JobModuleEntity,
    columns<JobModuleEntity>({
      ...{ jobId, moduleId: 'face_recognition', postedAs: 'face_recognition', position: 0, args: {}, range: null },
      ...{ models: [], analyses: {}, state: 'completed' },
    }),
  );
  await manager.insert(JobSourceEntity, { jobId, index: 0, uri: sources[0]!, state: 'planned' });
  const rows = Array.from({ length: segments }, (_, seq) =>
    columns<SegmentEntity>({
      ...{
        jobId,
        seq,
        moduleId: 'face_recognition',
        moduleSeq: seq,
        sourceIndex: 0,
        frameStart: seq,
        frameEnd: seq + 1,
      },
      ...{ timeStart: seq / 25, timeEnd: (seq + 1) / 25, type: 'face', label: `=Person, ${seq}`, confidence: 0.5 },
      ...{ meta: { person: `=Person, ${seq}` }, detections: [], thumbnail: null, keyFrame: null },
    }),
  );
  for (let at = 0; at < rows.length; at += 100) await manager.insert(SegmentEntity, rows.slice(at, at + 100));
  return jobId;
}

async function sum(jobId: string, type: string, meta: Record<string, number>): Promise<void> {
  const seq = await manager.countBy(SummaryEntity, { jobId });
  const moduleId = 'advanced_diversity_analysis';
  await manager.insert(
    SummaryEntity,
    columns<SummaryEntity>({ jobId, seq, id: randomUUID(), moduleId, sourceIndex: 0, type, meta }),
  );
}

async function newExport(jobId: string, format: JobResultsExport['format']): Promise<string> {
  const id = randomUUID();
  const config = { job_id: jobId, format };
  await manager.insert(ExportEntity, { id, workspaceId, strategy: 'job_results_export', config, jobId });
  return id;
}
const exportOf = (id: string): Promise<ExportEntity> => manager.findOneByOrFail(ExportEntity, { id });
const artifactOf = (exportId: string): Promise<ArtifactEntity> => manager.findOneByOrFail(ArtifactEntity, { exportId });

describe('an export of a job’s results', () => {
  it.each(['json', 'csv', 'xlsx', 'zip'] as const)('is complete as %s, and announced', async (format) => {
    const jobId = await newJob(450);
    await sum(jobId, 'gender_count', { female: 2, male: 1 });
    for (const seq of [3, 449]) {
      await objects.put(`pictures/${seq}.jpg`, Buffer.from(`picture ${seq}`));
      const thumbnail = { key: `pictures/${seq}.jpg`, width: 4, height: 5 };
      await manager.update(SegmentEntity, { jobId, seq }, { thumbnail });
    }
    for (const event of ResourceEventName.options) await askedFor(manager, workspaceId, event);
    const id = await newExport(jobId, format);
    await exporting.idle();
    expect(await exportOf(id)).toMatchObject({ state: 'completed', progress: 1, timeCompleted: expect.any(Date) });
    const artifact = await artifactOf(id);
    expect(artifact).toMatchObject({ filename: `results-${jobId}.${format}`, jobId: null });
    expect(Math.abs(artifact.timeExpiration.getTime() - artifact.timeCreated.getTime() - WEEK)).toBeLessThan(60_000);
    const bytes = await objects.read(artifact.objectKey);
    expect(bytes.length).toBe(Number(artifact.size));
    const files = format === 'zip' ? await unzip(bytes) : new Map<string, Buffer>();
    if (format === 'zip') {
      expect([...files.keys()]).toEqual(['results.json', 'results.csv', 'pictures/000004.jpg', 'pictures/000450.jpg']);
      expect(String(files.get('pictures/000450.jpg'))).toBe('picture 449');
    }
    if (format === 'json' || format === 'zip') {
      const file = JSON.parse((files.get('results.json') ?? bytes).toString()) as {
        detailed_results: unknown[];
        summary: unknown[];
      };
      expect(file.detailed_results.map((result) => DetailedResult.parse(result).meta['person'])).toEqual(
        Array.from({ length: 450 }, (_, at) => `=Person, ${at}`),
      );
      expect(file.summary).toMatchObject([{ type: 'gender_count', meta: { female: 2, male: 1 } }]);
    }
    if (format === 'csv' || format === 'zip') {
      const lines = (files.get('results.csv') ?? bytes).toString().trim().split('\r\n');
      expect(lines).toHaveLength(451);
      expect(lines[450]).toMatch(
        /^film,storage:\/\/film,video,face_recognition,face,"'=Person, 449",0.5,449,450,17.96,18,/,
      );
    }
    if (format === 'xlsx') expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    const events = await raised(manager);
    expect(events.map(({ event }) => event)).toEqual([
      'svc.export.on_started',
      'svc.export.artifact.on_created',
      'svc.export.on_completed',
    ]);
    expect(Export.parse(events[0]!.data['export'])).toMatchObject({ id, state: 'processing', time_completed: null });
    expect(Artifact.parse(events[1]!.data['artifact'])).toMatchObject({ id: artifact.id, export_id: id });
    expect(Export.parse(events[2]!.data['export'])).toMatchObject({ id, state: 'completed', progress: 1 });
  });

  it.each(['json', 'zip'] as const)('as %s waits for its pictures while the object store is away', async (format) => {
    const jobId = await newJob(3);
    await objects.put('pictures/there.jpg', Buffer.from('a face'));
    for (const [seq, name] of [
      [1, 'there'],
      [2, 'gone'],
    ] as const) {
      await manager.update(
        SegmentEntity,
        { jobId, seq },
        { thumbnail: { key: `pictures/${name}.jpg`, width: 4, height: 5 } },
      );
    }
    let isAway = true;
    const troubled = Object.assign(Object.create(objects) as ObjectStore, {
      read: (key: string) => (isAway ? Promise.reject(new AditError('UNAVAILABLE', '503')) : objects.read(key)),
    });
    const reading = new JobResults(database.dataSource, troubled, await loadModules());
    const patient = new Exports(database.dataSource, outbox, troubled, reading);
    const id = await newExport(jobId, format);
    await patient.idle();
    expect(await exportOf(id)).toMatchObject({ state: 'processing', attempts: 0 });
    isAway = false;
    await manager.update(ExportEntity, { id }, { leaseUntil: new Date(0) });
    await patient.idle();
    await patient.onApplicationShutdown();
    expect(await exportOf(id)).toMatchObject({ state: 'completed' });
    const bytes = await objects.read((await artifactOf(id)).objectKey);
    const files = format === 'zip' ? await unzip(bytes) : new Map([['results.json', bytes]]);
    const { detailed_results: found } = JSON.parse(String(files.get('results.json'))) as {
      detailed_results: DetailedResult[];
    };
    const image = Buffer.from('a face').toString('base64');
    expect(found.map(({ thumbnail }) => thumbnail?.image ?? null)).toEqual([null, image, null]);
    if (format === 'zip') expect(String(files.get('pictures/000002.jpg'))).toBe('a face');
  });

  it('is announced where only one webhook subscribes to it', async () => {
    await askedFor(manager, workspaceId, 'svc.export.on_completed');
    await askedFor(manager, workspaceId, 'svc.transcript.on_created');
    await manager.insert(WebhookEntity, {
      ...{ id: randomUUID(), workspaceId: randomUUID(), event: 'svc.export.on_started' },
      ...{ url: 'https://newsroom.example.org/adit', secret: 's' },
    });
    await newExport(await newJob(1), 'csv');
    await exporting.idle();
    expect((await raised(manager)).map(({ event }) => event)).toEqual(['svc.export.on_completed']);
  });

  it('shows its progress', async () => {
    const id = await newExport(await newJob(450), 'csv');
    const seen: number[] = [];
    const put = objects.put.bind(objects);
    const watched = Object.assign(Object.create(objects) as ObjectStore, {
      put: async (key: string, body: AsyncIterable<Buffer>) => {
        const pieces: Buffer[] = [];
        for await (const piece of body) {
          pieces.push(piece);
          if (pieces.length % 210 === 0) seen.push((await exportOf(id)).progress);
        }
        return put(key, Buffer.concat(pieces));
      },
    });
    const slow = new Exports(database.dataSource, outbox, watched, results);
    await slow.idle();
    await slow.onApplicationShutdown();
    expect(seen).toEqual([200 / 450, 400 / 450]);
    expect((await exportOf(id)).state).toBe('completed');
  });

  /** @hardening privacy: An export outlives its job */
  it('is removed with its job, also while it is written', async () => {
    const commands = new JobCommands(outbox, objects);
    const jobId = await newJob(3);
    const done = await newExport(jobId, 'json');
    await exporting.idle();
    const { objectKey } = await artifactOf(done);
    const waiting = await newExport(jobId, 'json');
    await commands.delete(workspaceId, jobId);
    expect(await objects.stat(objectKey)).toBeNull();
    expect(await manager.countBy(ArtifactEntity, {})).toBe(0);
    await exporting.idle();
    expect(await manager.countBy(ExportEntity, {})).toBe(0);
    const another = await newJob(450);
    const under = await newExport(another, 'csv');
    const put = objects.put.bind(objects);
    const deleting = Object.assign(Object.create(objects) as ObjectStore, {
      put: async (key: string, content: Readable | Buffer) => {
        const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
        // The export has been read, and its update comes after the erasure.
        await commands.delete(workspaceId, another);
        return put(key, bytes);
      },
    });
    const late = new Exports(database.dataSource, outbox, deleting, results);
    await late.idle();
    await late.onApplicationShutdown();
    expect(await manager.countBy(ExportEntity, {})).toBe(0);
    expect(await manager.countBy(ArtifactEntity, {})).toBe(0);
    for (const id of [done, waiting, under]) {
      for await (const { key } of objects.list(exportPrefix(id))) throw new Error(`${key} was left`);
    }
  });

  it('is not written when its job was deleted by a process that died before it could erase anything', async () => {
    const commands = new JobCommands(outbox, objects);
    commands.eraseSome = () => Promise.reject(new AditError('UNAVAILABLE', 'It died.'));
    const jobId = await newJob(3);
    const id = await newExport(jobId, 'json');
    await commands.delete(workspaceId, jobId);
    await exporting.idle();
    expect(await exportOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await new JobCommands(outbox, objects).eraseSome(jobId)).toBe(true);
    expect(await manager.countBy(ExportEntity, { id })).toBe(0);
  });

  it('is taken over when its process died, and given up after three attempts', async () => {
    const id = await newExport(await newJob(1), 'json');
    const past = new Date(Date.now() - 1000);
    await manager.update(
      ExportEntity,
      { id },
      { state: 'processing', attempts: 1, leaseUntil: new Date(Date.now() + 60_000) },
    );
    await exporting.idle();
    expect((await exportOf(id)).state).toBe('processing');
    await manager.update(ExportEntity, { id }, { leaseUntil: past });
    await exporting.idle();
    expect(await exportOf(id)).toMatchObject({ state: 'completed', attempts: 2 });
    const cursed = await newExport(await newJob(1), 'json');
    await manager.update(ExportEntity, { id: cursed }, { state: 'processing', attempts: 3, leaseUntil: past });
    await exporting.idle();
    expect(await exportOf(cursed)).toMatchObject({
      state: 'failed',
      errorMsg: expect.stringMatching(/ended each time/),
    });
  });

  it('waits for an unavailable dependency without counting a failure', async () => {
    const id = await newExport(await newJob(1), 'json');
    const away = Object.assign(Object.create(objects) as ObjectStore, {
      put: () => Promise.reject(new AditError('UNAVAILABLE', 'The object store does not answer.')),
    });
    const lame = new Exports(database.dataSource, outbox, away, results);
    await lame.idle();
    await lame.onApplicationShutdown();
    expect(await exportOf(id)).toMatchObject({ state: 'processing', attempts: 0, errorMsg: null });
    await manager.update(ExportEntity, { id }, { leaseUntil: new Date(Date.now() - 1) });
    await exporting.idle();
    expect((await exportOf(id)).state).toBe('completed');
  });

  it('has its files removed by the sweeper when they expire', async () => {
    const id = await newExport(await newJob(1), 'csv');
    await exporting.idle();
    const { objectKey } = await artifactOf(id);
    const commands = new JobCommands(outbox, objects);
    const batches = new BatchCommands(database.dataSource, outbox, commands);
    const dictionaries = new DictionaryStore(database.dataSource, objects);
    const models = new ModelStore(database.dataSource, objects);
    const sweeper = new Sweeper(
      database.dataSource,
      objects,
      commands,
      dictionaries,
      models,
      batches,
      JobSettings.parse({}),
    );
    await sweeper.run(new Date(Date.now() + WEEK - 60_000));
    expect(await objects.stat(objectKey)).not.toBeNull();
    await sweeper.run(new Date(Date.now() + WEEK + 60_000));
    expect(await objects.stat(objectKey)).toBeNull();
    expect(await manager.countBy(ArtifactEntity, { exportId: id })).toBe(0);
  });
});

describe('a report', () => {
  const empty = { gender_speech_time: {}, age_speech_time: {}, name_to_speech_time: {} };

  async function newBatch(parentId: string | null): Promise<string> {
    const id = randomUUID();
    await manager.insert(BatchEntity, { id, workspaceId, parentId, name: 'b' });
    return id;
  }
  async function reported(batchId: string): Promise<{ report: ReportEntity; items: ReportItemEntity[] }> {
    const id = randomUUID();
    await manager.insert(ReportEntity, { id, workspaceId, batchId, title: 't' });
    await reports.idle();
    return {
      report: await manager.findOneByOrFail(ReportEntity, { id }),
      items: await manager.find(ReportItemEntity, { where: { reportId: id }, order: { position: 'ASC' } }),
    };
  }

  it('aggregates each batch with all below it', async () => {
    const root = await newBatch(null);
    const child = await newBatch(root);
    const grandchild = await newBatch(child);
    const empties = await newBatch(root);
    await newBatch(null);
    const jobs = [await newJob(0, root), await newJob(0, grandchild), await newJob(0, grandchild)];
    for (const jobId of jobs) {
      await sum(jobId, 'gender_count', { female: 2, male: 1 });
      await sum(jobId, 'age_count', { '30-44': 3 });
      await sum(jobId, 'person_screen_time', { Ada: 1.5, 'Unknown #1': 2, 'Unknown #2': 3, __proto__x: 1 });
      await sum(jobId, 'gender_screen_time', { female: 5.25 });
      await sum(jobId, 'age_screen_time', { '30-44': 6.5 });
    }
    const elsewhere = await newJob(0, await newBatch(null));
    await sum(elsewhere, 'gender_count', { male: 99 });
    const { report, items } = await reported(root);
    expect(report).toMatchObject({ state: 'completed', errorMsg: null });
    const of = (times: number) => ({
      ...empty,
      gender_count: { female: 2 * times, male: times },
      age_count: { '30-44': 3 * times },
      person_screen_time: { Ada: 1.5 * times, Unknown: 5 * times, __proto__x: times },
      gender_screen_time: { female: 5.25 * times },
      age_screen_time: { '30-44': 6.5 * times },
    });
    const none = {
      gender_count: {},
      age_count: {},
      person_screen_time: {},
      gender_screen_time: {},
      age_screen_time: {},
    };
    const found = Object.fromEntries(items.map(({ batchId, info }) => [batchId, info]));
    expect(found).toEqual({
      [root]: of(3),
      [child]: of(2),
      [grandchild]: of(2),
      [empties]: { ...none, ...empty },
    });
    expect(items[0]!.batchId).toBe(root);
    const position = (id: string): number => items.findIndex(({ batchId }) => batchId === id);
    expect(position(child)).toBeLessThan(position(grandchild));
  });

  it('names likely speakers, of jobs that know faces and speech', async () => {
    const root = await newBatch(null);
    const [jobId, silent] = [await newJob(0, root), await newJob(0, root)];
    const person = (label: string | null, gender: string, shown: number[]) => ({
      ...{ label, listed: true, gender, age: '30-44', shown },
    });
    const people = [
      person('Ada', 'female', [0, 10, 20, 30]),
      person(null, 'male', [10, 20]),
      person(null, 'male', [40, 50]),
    ];
    for (const id of [jobId, silent]) {
      await sum(id, 'person_screen_time', { Ada: 20, 'Unknown #1': 10, 'Unknown #2': 10 });
      await manager.update(SummaryEntity, { jobId: id }, { people });
    }
    // Lists of summaries of a thousand films do not include it.
    const [row] = await manager.findBy(SummaryEntity, { jobId });
    expect([row?.type, row?.people]).toEqual(['person_screen_time', undefined]);
    const segment = (seq: number, moduleId: string, type: string, timeStart: number, timeEnd: number, meta: object) =>
      columns<SegmentEntity>({
        ...{
          jobId,
          seq,
          moduleId,
          moduleSeq: seq,
          sourceIndex: 0,
          frameStart: null,
          frameEnd: null,
          timeStart,
          timeEnd,
        },
        ...{ type, label: type, confidence: 1, meta: meta as Record<string, never>, detections: [] },
        ...{ thumbnail: null, keyFrame: null },
      });
    const word = (time_start: number, time_end: number) => ({ text: 'so', time_start, time_end, confidence: 1 });
    await manager.insert(SegmentEntity, [
      segment(0, 'speech_recognition', 'speech', 1, 12, { text: 'so so', words: [word(1, 3.5), word(11, 12)] }),
      segment(1, 'speech_recognition', 'speech', 41, 45, { text: 'so' }),
      segment(2, 'speech_recognition', 'translation', 41, 45, { text: 'so' }),
      segment(3, 'lower_third_recognition', 'lower_third', 42, 44, { label: 'Jo Weber' }),
    ]);
    const { items } = await reported(root);
    expect(items[0]?.info).toMatchObject({
      gender_speech_time: { female: 2.5, male: 5 },
      age_speech_time: { '30-44': 7.5 },
      name_to_speech_time: { Ada: 2.5, Unknown: 1, 'Jo Weber': 4 },
    });
  });

  it('of a batch that was deleted fails with the reason', async () => {
    const { report, items } = await reported(randomUUID());
    expect(report).toMatchObject({ state: 'failed', errorMsg: 'The batch was deleted.' });
    expect(items).toEqual([]);
  });
});
