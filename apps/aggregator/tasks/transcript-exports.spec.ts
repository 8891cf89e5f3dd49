import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { InProcessBus } from '@adit/bus';
import { TranscriptFormat } from '@adit/contracts';
import { ArtifactEntity, columns, ExportEntity, openDatabase, type Database } from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { JobCommands } from '@adit/jobs';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { NewTranscripts, TranscriptReader, TranscriptWriter } from '@adit/transcript-store';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertSpeechJob, workspace } from '../../../libs/transcript-store/testing/speech-job.js';
import { JobResults } from '../endings/job-results.js';
import { Exports } from './exports.js';
import { RefinedBorders } from './refined-borders.js';

let folder: string;
let own: SpecDatabase;
let database: Database;
let objects: ObjectStore;
let outbox: OutboxRelay;
let exporting: Exports;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  folder = await mkdtemp(join(tmpdir(), 'adit-transcripts-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  objects = await FilesystemObjectStore.open(folder);
  outbox = new OutboxRelay(database.dataSource, new InProcessBus());
  const modules = await loadModules();
  const results = new JobResults(database.dataSource, objects, modules);
  const commands = new JobCommands(outbox, objects);
  const borders = new RefinedBorders(database.dataSource, commands, AnalysisRegistry.of([]), modules, results);
  exporting = new Exports(database.dataSource, outbox, objects, results, borders);
});
afterAll(async () => {
  await exporting?.onApplicationShutdown();
  await outbox?.onApplicationShutdown();
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('transcript_export', () => {
  it('writes the requested version, in every format', async () => {
    const { manager } = database.dataSource;
    const workspaceId = await workspace(manager);
    const spoken = Array.from({ length: 1_200 }, (_, at) => ({ text: `Satz ${at}.`, start: at, end: at + 0.5 }));
    const jobId = await insertSpeechJob(manager, workspaceId, spoken);
    const transcriptId = randomUUID();
    const bounds = { mostBytes: 1_000_000, workspaceBytes: 1_000_000, storageBytes: 0 };
    await new NewTranscripts(outbox).create(
      workspaceId,
      { job_id: jobId },
      { id: transcriptId, author: 'spec', most: 10, ...bounds },
    );
    const reader = new TranscriptReader(database.dataSource);
    const [variant] = (await reader.variants(transcriptId, { offset: 0, limit: 1 })).rows;
    const place = { workspaceId, transcriptId, variantId: variant!.id, author: 'spec', ...bounds };
    const { paragraphs } = await reader.paragraphs(await reader.version(workspaceId, transcriptId, variant!.id), {
      offset: 700,
      limit: 1,
    });
    const changes = [{ id: paragraphs[0]!.id, text: 'Anders.' }];
    await new TranscriptWriter(outbox, database.dataSource).write(place, { changes }, { ifMatch: null });
    for (const format of TranscriptFormat.options) {
      const id = randomUUID();
      const config = { transcript_id: transcriptId, variant_id: variant!.id, version: 2, format };
      const row = { id, workspaceId, strategy: 'transcript_export' as const, config, jobId, transcriptId };
      await manager.insert(ExportEntity, columns<ExportEntity>(row));
    }
    await exporting.idle();
    const files = await manager.find(ArtifactEntity);
    expect(files.map(({ filename }) => filename).sort()).toEqual(
      TranscriptFormat.options.map((format) => `transcript-${transcriptId}-de-v2.${format}`).sort(),
    );
    for (const { filename, objectKey } of files.filter((file) => !file.filename.endsWith('docx'))) {
      const content = await text(await objects.get(objectKey));
      expect([filename, content.includes('Anders.'), content.includes('Satz 700.')]).toEqual([filename, true, false]);
      expect(content).toContain('Satz 1199.');
    }
    expect((await manager.find(ExportEntity)).map(({ state }) => state)).toEqual(files.map(() => 'completed'));
  });

  it('says why a text in another script is not written as stl, once and for all', async () => {
    const { manager } = database.dataSource;
    const workspaceId = await workspace(manager);
    const jobId = await insertSpeechJob(manager, workspaceId, [{ text: 'Добрый вечер.', start: 0, end: 2 }]);
    const transcriptId = randomUUID();
    const bounds = { mostBytes: 1_000_000, workspaceBytes: 1_000_000, storageBytes: 0 };
    const of = { id: transcriptId, author: 'spec', most: 10, ...bounds };
    await new NewTranscripts(outbox).create(workspaceId, { job_id: jobId }, of);
    const reader = new TranscriptReader(database.dataSource);
    const [variant] = (await reader.variants(transcriptId, { offset: 0, limit: 1 })).rows;
    const id = randomUUID();
    const config = { transcript_id: transcriptId, variant_id: variant!.id, version: 1, format: 'stl' };
    const row = { id, workspaceId, strategy: 'transcript_export' as const, config, jobId, transcriptId };
    await manager.insert(ExportEntity, columns<ExportEntity>(row));
    await exporting.idle();
    expect(await manager.findOneByOrFail(ExportEntity, { id })).toMatchObject({
      state: 'failed',
      errorMsg: expect.stringMatching(/^EBU-STL is written in Latin script, .* take ttml, srt or vtt\.$/),
    });
    expect(await manager.countBy(ArtifactEntity, { exportId: id })).toBe(0);
  });
});
