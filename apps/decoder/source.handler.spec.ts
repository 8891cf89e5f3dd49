import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, BusContext } from '@adit/bus';
import { JobRequest, type MediaKind } from '@adit/contracts';
import { openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { JobCommands, JobSettings, type ResolvedAnalysis } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { FilesystemObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { blackPng, numberedFilm, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { SourceCache } from './source-cache.js';
import { SourceHandler } from './source.handler.js';

const faces: ResolvedAnalysis = {
  ...{ analysis: 'faces', family: 'face', digest: 'f'.repeat(64), args: {}, models: [] },
  frames: [{ rate: 2, shorterSide: 600 }],
};

describe('opening a source', () => {
  const workspaceId = randomUUID();
  const bus = { publish: () => Promise.resolve() } as unknown as Bus;
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let outbox: OutboxRelay;
  let cache: SourceCache;
  let commands: JobCommands;
  let handler: SourceHandler;

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    folder = await mkdtemp(join(tmpdir(), 'adit-sources-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    const db = database.dataSource;
    const objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    await db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    await writeFile(join(folder, 'photo.png'), blackPng(8, 8));
    const frames = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('numbered.mp4', frames), join(folder, 'film.mp4'));
    const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1'];
    await copyFile(await transcode('tone.wav', tone), join(folder, 'tone.wav'));
    const config = DecoderConfig.parse({ localRoots: [folder] });
    outbox = new OutboxRelay(db, bus);
    commands = new JobCommands(outbox, objects);
    cache = new SourceCache(join(folder, 'work'), config, objects, db);
    const catalogue = new MediaCatalogue(db, objects, config, new MemoryAdmission(1e9));
    handler = new SourceHandler(db, outbox, cache, catalogue, JobSettings.parse({}));
  });
  afterAll(async () => {
    await cache?.onApplicationShutdown();
    await outbox?.onApplicationShutdown();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A job whose sources were opened in their order, and what became of it. */
  async function opened(files: string[], modules: Record<string, MediaKind[]>) {
    const sources = files.map((file) => join(folder, file));
    const order = {
      workspaceId,
      request: JobRequest.parse({ sources, modules: { face_recognition: {} } }),
      modules: Object.entries(modules).map(([moduleId, media]) => ({
        ...{ moduleId, postedAs: moduleId, args: {}, range: null, models: [], media, analyses: [faces] },
      })),
      mediaType: 'image' as const,
      traceparent: null,
    };
    const { id: jobId } = (await commands.submit(order)).job;
    for (const sourceIndex of sources.keys()) {
      await database.dataSource.query(
        `UPDATE job_sources SET state = 'requested' WHERE job_id = $1 AND index = $2 AND state = 'waiting'`,
        [jobId, sourceIndex],
      );
      const context = { signal: new AbortController().signal, envelope: { jobId } } as BusContext;
      await handler.open({ sourceIndex }, context);
    }
    const [row]: { job: string; errors: string[]; modules: object; sources: string[]; folds: string[] }[] =
      await database.dataSource.query(
        `SELECT j.state AS job, j.errors,
                (SELECT jsonb_object_agg(module_id, state) FROM job_modules WHERE job_id = j.id) AS modules,
                (SELECT jsonb_agg(state ORDER BY index) FROM job_sources WHERE job_id = j.id) AS sources,
                (SELECT coalesce(jsonb_agg(concat_ws(' ', module_id, source_index, CASE WHEN closed THEN 'closed' END)
                          ORDER BY source_index, module_id), '[]') FROM folds WHERE job_id = j.id) AS folds
           FROM jobs j WHERE j.id = $1`,
        [jobId],
      );
    return { ...row!, errors: row!.errors.map((error) => error.replace(`${folder}/`, '')) };
  }

  const both: MediaKind[] = ['image', 'video'];

  it('says which modules cannot be asked of a film, and plans it for the others', async () => {
    expect(await opened(['film.mp4'], { faces: both, stills: ['image'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', stills: 'processing' },
      sources: ['planned'],
      errors: ['film.mp4: stills takes images, not video'],
      folds: ['faces 0', 'stills 0 closed'],
    });
  });

  it('refuses what no module takes, each by its name, and goes on with the other sources', async () => {
    expect(await opened(['tone.wav', 'film.mp4'], { faces: both, films: ['video'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', films: 'processing' },
      sources: ['failed', 'planned'],
      errors: ['tone.wav: faces takes images and video, not audio; films takes video, not audio'],
      folds: ['faces 1', 'films 1'],
    });
  });

  it('fails a module that takes no images with the first of them', async () => {
    expect(await opened(['photo.png'], { faces: both, films: ['video'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', films: 'failed' },
      sources: ['planned'],
      errors: ['films: it takes video, not images'],
      folds: ['faces -1'],
    });
  });

  it('takes jobs of builds that do not say what their modules take', async () => {
    const before = null as unknown as MediaKind[];
    expect(await opened(['film.mp4'], { faces: before })).toMatchObject({ errors: [], folds: ['faces 0'] });
    expect(await opened(['tone.wav'], { faces: before })).toMatchObject({
      errors: ['tone.wav: faces takes images and video, not audio'],
    });
  });
});
