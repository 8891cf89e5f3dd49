import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AditError, Artifact, DetailedResult, Export, ResourceEventName, type JobResultsExport } from '@adit/contracts';
import { ArtifactEntity, ExportEntity, SegmentEntity, WebhookEntity } from '@adit/database';
import { DictionaryStore } from '@adit/dictionaries';
import { ModelStore } from '@adit/model-store';
import { BatchCommands, JobCommands, JobSettings } from '@adit/jobs';
import { exportPrefix } from '@adit/artifacts';
import { Sweeper } from '@adit/retention';
import { loadModules } from '@adit/modules';
import type { ObjectStore } from '@adit/objects';
import { unzip } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { askedFor, raised } from '../testing/raised-events.js';
import { Exports } from './exports.js';
import { JobResults } from '../endings/job-results.js';
import {
  useExportWorld,
  workspaceId,
  borders,
  database,
  manager,
  objects,
  outbox,
  results,
  exporting,
  newJob,
  sum,
} from '../testing/export-world.js';

useExportWorld();

const WEEK = 7 * 86_400_000;

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
    const patient = new Exports(database.dataSource, outbox, troubled, reading, borders);
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
    const slow = new Exports(database.dataSource, outbox, watched, results, borders);
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
    const late = new Exports(database.dataSource, outbox, deleting, results, borders);
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
    const lame = new Exports(database.dataSource, outbox, away, results, borders);
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
