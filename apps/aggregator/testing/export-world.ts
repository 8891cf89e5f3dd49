import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@adit/bus';
import {
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  openDatabase,
  SegmentEntity,
  SummaryEntity,
  type Database,
} from '@adit/database';
import { AnalysisRegistry } from '@adit/inference';
import { JobCommands } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { Exports } from '../tasks/exports.js';
import { RefinedBorders } from '../tasks/refined-borders.js';
import { JobResults } from '../endings/job-results.js';
import { Reports } from '../tasks/reports.js';

export const workspaceId = randomUUID();

let folder: string;
let own: SpecDatabase;
export let database: Database;
export let manager: EntityManager;
export let objects: ObjectStore;
export let outbox: OutboxRelay;
export let results: JobResults;
export let borders: RefinedBorders;
export let exporting: Exports;
export let reports: Reports;

export async function newJob(segments: number, batchId: string | null = null): Promise<string> {
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

export async function sum(jobId: string, type: string, meta: Record<string, number>): Promise<void> {
  const seq = await manager.countBy(SummaryEntity, { jobId });
  const moduleId = 'advanced_diversity_analysis';
  await manager.insert(
    SummaryEntity,
    columns<SummaryEntity>({ jobId, seq, id: randomUUID(), moduleId, sourceIndex: 0, type, meta }),
  );
}

/** Registers the hooks that start and end the shared parts of a spec. */
export function useExportWorld(): void {
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
    const modules = await loadModules();
    results = new JobResults(database.dataSource, objects, modules);
    const commands = new JobCommands(outbox, objects);
    borders = new RefinedBorders(database.dataSource, commands, AnalysisRegistry.of([]), modules, results);
    exporting = new Exports(database.dataSource, outbox, objects, results, borders);
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
}
