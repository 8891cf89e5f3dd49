/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, BusContext } from '@adit/bus';
import { JobRequest, type MediaKind } from '@adit/contracts';
import { openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { EXTENT_NAME, JobCommands, JobSettings, type ResolvedAnalysis } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { FilesystemObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { blackPng, numberedFilm, pdfDocument, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AudioFiles } from './audio-files.js';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { SourceCache } from './source-cache.js';
import { SourceHandler } from './source.handler.js';

const faces: ResolvedAnalysis = {
  ...{ analysis: 'faces', family: 'face', digest: 'f'.repeat(64), args: {}, models: [] },
  frames: [{ rate: 2, shorterSide: 600 }],
};

const loudness: ResolvedAnalysis = {
  ...{ analysis: 'loudness', family: 'test', digest: 'e'.repeat(64), args: {}, models: [], frames: [] },
  audio: [{ sampleRate: 8000, channels: 1, overlapSeconds: 0 }],
};
/** Modules with their inputs: pictures, sound or both. */
const ANALYSES: Record<string, ResolvedAnalysis[]> = { listener: [loudness], watcher: [faces, loudness] };

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
  /** Chunks of the job that was opened last: source, extent and analyses. */
  let chunks: string[];

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    folder = await mkdtemp(join(tmpdir(), 'adit-sources-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    const db = database.dataSource;
    const objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    await db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    await writeFile(join(folder, 'photo.png'), blackPng(8, 8));
    await writeFile(join(folder, 'pages.pdf'), pdfDocument([{}, {}]));
    const frames = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('numbered.mp4', frames), join(folder, 'film.mp4'));
    const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1'];
    await copyFile(await transcode('tone.wav', tone), join(folder, 'tone.wav'));
    const talkie = [...frames.slice(0, 4), ...tone, '-map', '0:v', '-map', '1:a', '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('talkie.mp4', talkie), join(folder, 'talkie.mp4'));
    const lengthy = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=80'];
    const overlong = [...frames.slice(0, 4), ...lengthy, '-map', '0:v', '-map', '1:a', '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('overlong.mp4', overlong), join(folder, 'overlong.mp4'));
    // One more minute of sound is decoded.
    const config = DecoderConfig.parse({ localRoots: [folder], maxFilmSeconds: 5 });
    outbox = new OutboxRelay(db, bus);
    commands = new JobCommands(outbox, objects);
    cache = new SourceCache(join(folder, 'work'), config, objects, db);
    const memory = new MemoryAdmission(1e9);
    const catalogue = new MediaCatalogue(db, objects, config, memory);
    const audio = new AudioFiles(config, memory);
    handler = new SourceHandler(db, outbox, cache, catalogue, audio, JobSettings.parse({}));
  });
  afterAll(async () => {
    await cache?.onApplicationShutdown();
    await outbox?.onApplicationShutdown();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the sources of a job in order, and returns the result. */
  async function opened(files: string[], modules: Record<string, MediaKind[]>, attempts = 0) {
    const sources = files.map((file) => join(folder, file));
    const order = {
      workspaceId,
      request: JobRequest.parse({ sources, modules: { face_recognition: {} } }),
      modules: Object.entries(modules).map(([moduleId, media]) => ({
        ...{ moduleId, postedAs: moduleId, args: {}, range: null, models: [], media },
        analyses: ANALYSES[moduleId] ?? [faces],
      })),
      mediaType: 'image' as const,
      traceparent: null,
    };
    const { id: jobId } = (await commands.submit(order)).job;
    for (const sourceIndex of sources.keys()) {
      await database.dataSource.query(
        `UPDATE job_sources SET state = 'requested', attempts = $3 WHERE job_id = $1 AND index = $2 AND state = 'waiting'`,
        [jobId, sourceIndex, attempts],
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
    const planned = await database.dataSource.query(
      `SELECT c.source_start || ' ' || ${EXTENT_NAME} AS name, array_agg(a.analysis ORDER BY a.analysis) AS analyses
         FROM chunks c JOIN chunk_analyses n ON n.chunk_id = c.id JOIN job_analyses a ON a.job_id = $1 AND a.digest = n.digest
        WHERE c.job_id = $1 GROUP BY c.id ORDER BY c.position`,
      [jobId],
    );
    chunks = planned.map(({ name, analyses }: { name: string; analyses: string[] }) => [name, ...analyses].join(' '));
    return { ...row!, errors: row!.errors.map((error) => error.replace(`${folder}/`, '')) };
  }

  const both: MediaKind[] = ['image', 'video'];

  it('reports modules that do not support a film, and plans it for the others', async () => {
    expect(await opened(['film.mp4'], { faces: both, stills: ['image'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', stills: 'processing' },
      sources: ['planned'],
      errors: ['film.mp4: stills takes images, not video'],
      folds: ['faces 0', 'stills 0 closed'],
    });
  });

  it('refuses sources that no module supports, each with its format, and continues with the other sources', async () => {
    expect(await opened(['tone.wav', 'film.mp4'], { faces: both, films: ['video'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', films: 'processing' },
      sources: ['failed', 'planned'],
      errors: ['tone.wav: faces takes images and video, not audio; films takes video, not audio'],
      folds: ['faces 1', 'films 1'],
    });
  });

  it('plans a chunk per page of a document, for modules of pictures', async () => {
    expect(await opened(['pages.pdf', 'pages.pdf'], { faces: ['image'], films: ['video'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', films: 'processing' },
      sources: ['planned', 'planned'],
      errors: ['pages.pdf: films takes video, not PDF documents'],
      folds: ['faces 0', 'films 0 closed', 'faces 1', 'films 1 closed'],
    });
    expect(chunks).toEqual(['0 page-0 faces', '0 page-1 faces', '1 page-0 faces', '1 page-1 faces']);
  });

  it.each([
    ['pages.pdf', 'film.mp4'],
    ['film.mp4', 'pages.pdf'],
  ])('fails a job of %s and %s', async (first, second) => {
    const { job, errors } = await opened([first, second], { faces: both });
    expect({ job, errors }).toEqual({
      job: 'failed',
      errors: ['Images, PDF documents and video are mixed; post one job for each kind.'],
    });
  });

  it('fails a module without image support at the first image', async () => {
    expect(await opened(['photo.png'], { faces: both, films: ['video'] })).toEqual({
      job: 'processing',
      modules: { faces: 'processing', films: 'failed' },
      sources: ['planned'],
      errors: ['films: it takes video, not images'],
      folds: ['faces -1'],
    });
  });

  it('requests no pictures for modules of sound', async () => {
    expect(await opened(['photo.png'], { watcher: both, listener: both })).toEqual({
      job: 'processing',
      modules: { watcher: 'processing', listener: 'failed' },
      sources: ['planned'],
      errors: ['listener: it needs sound, and the source has none'],
      folds: ['watcher -1'],
    });
    expect(chunks).toEqual(['0 image faces']);
  });

  it('plans sound beside frames, each for its modules, and a module of both in the order of time', async () => {
    expect(await opened(['talkie.mp4'], { faces: both, listener: ['video', 'audio'], watcher: both })).toMatchObject({
      errors: [],
      folds: ['faces 0', 'listener 0', 'watcher 0'],
    });
    // Encoders pad their last packet.
    expect(chunks).toEqual([expect.stringMatching(/^0 audio-0-10\d\d loudness$/), '0 0-50 faces']);
  });

  it('plans recordings, and refuses them for modules of pictures, with the format', async () => {
    expect(await opened(['tone.wav', 'talkie.mp4'], { listener: ['video', 'audio'], faces: both })).toMatchObject({
      sources: ['planned', 'planned'],
      errors: ['tone.wav: faces takes images and video, not audio'],
      folds: ['faces 0 closed', 'listener 0', 'faces 1', 'listener 1'],
    });
    expect(chunks.map((chunk) => chunk.split(' ')[0])).toEqual(['0', '1', '1']);
    const [{ media_type: type }] = await database.dataSource.query(
      'SELECT media_type FROM jobs ORDER BY time_created DESC',
    );
    expect(type).toBe('video');
  });

  it('refuses a film without sound for modules of sound, and continues with those that use pictures too', async () => {
    expect(await opened(['film.mp4'], { listener: ['video', 'audio'], watcher: both })).toMatchObject({
      sources: ['planned'],
      errors: ['film.mp4: listener needs sound, and the source has none'],
      folds: ['listener 0 closed', 'watcher 0'],
    });
    expect(await opened(['film.mp4'], { listener: ['video', 'audio'] })).toMatchObject({
      sources: ['failed'],
      errors: ['film.mp4: listener needs sound, and the source has none'],
    });
  });

  it('drops only the sound of a film whose sound took too much in every attempt, and reports it', async () => {
    await expect(opened(['overlong.mp4'], { watcher: both })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await opened(['overlong.mp4'], { listener: ['video'], watcher: both }, 2)).toMatchObject({
      sources: ['planned'],
      errors: [
        expect.stringMatching(/^overlong\.mp4: listener needs sound: Decoding failed/),
        expect.stringMatching(/^overlong\.mp4: watcher needs sound: Decoding failed/),
      ],
      folds: ['listener 0 closed', 'watcher 0'],
    });
    expect(chunks).toEqual(['0 0-50 faces']);
  });

  it("accepts jobs of builds that do not record their modules' inputs", async () => {
    const before = null as unknown as MediaKind[];
    expect(await opened(['film.mp4'], { faces: before })).toMatchObject({ errors: [], folds: ['faces 0'] });
    expect(await opened(['tone.wav'], { faces: before })).toMatchObject({
      errors: ['tone.wav: faces takes images and video, not audio'],
    });
  });
});
