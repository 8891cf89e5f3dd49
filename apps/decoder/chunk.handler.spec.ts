/** @needs ffmpeg */
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, BusContext } from '@adit/bus';
import { AditError, JobRequest, type MediaType } from '@adit/contracts';
import { ChunkEntity, JobSourceEntity, openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import {
  failSource,
  JobCommands,
  jobPrefix,
  JobSettings,
  LockedJob,
  packsPrefix,
  planChunks,
  type ResolvedAnalysis,
  writePlan,
} from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { OpenDocuments } from '@adit/media';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import {
  blackPng,
  CLOCK_ALONE,
  numberedFilm,
  pdfDocument,
  specDatabase,
  transcode,
  type SpecDatabase,
} from '@adit/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AudioFiles } from './audio-files.js';
import { ChunkDecoder } from './chunk-decoder.js';
import { ChunkHandler } from './chunk.handler.js';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { SourceCache } from './source-cache.js';

const PICTURES = ['one.png', 'two.png', 'three.png'];
const faces: ResolvedAnalysis = {
  ...{ analysis: 'faces', family: 'face', digest: 'f'.repeat(64), args: {}, models: [] },
  frames: [{ rate: 2, shorterSide: 600 }],
};

describe('decoding a chunk', () => {
  const workspaceId = randomUUID();
  const bus = { publish: () => Promise.resolve() } as unknown as Bus;
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let outbox: OutboxRelay;
  let cache: SourceCache;
  /** Called before each pack is written. */
  let beforePack: () => Promise<void>;
  let writes: Promise<unknown>[];
  let othersWritten: Promise<void>;
  let decoder: ChunkDecoder;
  let documents: OpenDocuments;
  let handler: ChunkHandler;
  let catalogue: MediaCatalogue;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-chunks-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    const db = database.dataSource;
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    await db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    for (const [at, name] of PICTURES.entries()) await writeFile(join(folder, name), blackPng(8 + at, 8));
    outbox = new OutboxRelay(db, bus);
    let packs = 0;
    let resolveOthersWritten = (): void => undefined;
    writes = [];
    othersWritten = new Promise((resolve) => (resolveOthersWritten = resolve));
    const watched = Object.assign(Object.create(objects) as ObjectStore, {
      put: async (...args: Parameters<ObjectStore['put']>) => {
        if (!args[0].includes('/packs/')) return objects.put(...args);
        const written = beforePack().then(() => objects.put(...args));
        writes.push(written);
        const stored = await written;
        if (++packs === PICTURES.length - 1) resolveOthersWritten();
        return stored;
      },
    });
    const config = DecoderConfig.parse({ localRoots: [folder] });
    const work = join(folder, 'work');
    cache = new SourceCache(work, config, watched, db);
    const memory = new MemoryAdmission(1e9);
    catalogue = new MediaCatalogue(db, watched, config, memory);
    documents = new OpenDocuments(600_000);
    decoder = new ChunkDecoder(
      db,
      outbox,
      cache,
      catalogue,
      new AudioFiles(config, memory),
      watched,
      work,
      memory,
      documents,
    );
    handler = new ChunkHandler(db, outbox, decoder, watched, JobSettings.parse({}));
  });
  afterEach(async () => {
    await decoder?.onApplicationShutdown();
    await cache?.onApplicationShutdown();
    await outbox?.onApplicationShutdown();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the id of a job that requests faces. */
  const submitted = async (names: string[], mediaType: MediaType): Promise<string> => {
    const request = JobRequest.parse({
      sources: names.map((name) => join(folder, name)),
      modules: { face_recognition: {} },
    });
    const modules = [
      {
        moduleId: 'face_recognition',
        postedAs: 'face_recognition',
        args: {},
        range: null,
        models: [],
        media: ['image' as const, 'video' as const],
        analyses: [faces],
      },
    ];
    const order = { workspaceId, request, modules, mediaType, traceparent: null };
    return (await new JobCommands(outbox, objects).submit(order)).job.id;
  };
  /** A job with all pictures in one chunk, with a decoding request. */
  const requested = async (names = PICTURES): Promise<{ jobId: string; chunkId: string }> => {
    const jobId = await submitted(names, 'image');
    const facts = { kind: 'image' as const, format: 'png' as const, width: 8, height: 8 };
    await writePlan(outbox, jobId, async (manager, locked) => {
      await locked.apply({ kind: 'opened' });
      const spans = [{ sourceStart: 0, sourceEnd: names.length, extent: { kind: 'image' as const } }];
      const wanted = [{ moduleId: 'face_recognition', spans }];
      return planChunks(manager, locked, 0, { digest: 'd'.repeat(64), facts }, wanted);
    });
    const { id: chunkId } = await database.dataSource.manager.findOneByOrFail(ChunkEntity, { jobId });
    await database.dataSource.manager.update(ChunkEntity, { id: chunkId }, { state: 'requested' });
    return { jobId, chunkId };
  };
  const decode = (chunkId: string): Promise<void> =>
    handler.decode({ chunkId }, { signal: new AbortController().signal } as BusContext);
  const keys = async (prefix: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of objects.list(prefix)) found.push(key);
    return found;
  };

  /** Simulates the process of a client's request that dies before removing anything. */
  const deaf = (): ObjectStore =>
    Object.assign(Object.create(objects) as ObjectStore, {
      deletePrefix: () => Promise.reject(new AditError('UNAVAILABLE', 'The object store does not answer.')),
    });

  it('writes a pack for each picture', async () => {
    beforePack = () => Promise.resolve();
    const { jobId, chunkId } = await requested();
    await decode(chunkId);
    expect(await keys(packsPrefix(jobId))).toHaveLength(PICTURES.length);
  });

  it('requests analyses with leases by the database’s clock', async () => {
    beforePack = () => Promise.resolve();
    const { chunkId } = await requested();
    jest.useFakeTimers({ now: Date.now() - 20 * 60_000, doNotFake: [...CLOCK_ALONE] });
    await decode(chunkId);
    jest.useRealTimers();
    expect(
      await database.dataSource.query(
        `SELECT state, lease_until > now() AS later FROM chunk_analyses WHERE chunk_id = $1`,
        [chunkId],
      ),
    ).toEqual([{ state: 'requested', later: true }]);
  });

  it('of a film continues when the film is opened again for another module, and refused then', async () => {
    beforePack = () => Promise.resolve();
    const path = join(folder, 'film.mp4');
    const made = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 2 }), '-vf', 'scale=320:240', '-pix_fmt', 'yuv420p'];
    await copyFile(await transcode('decoded-chunk.mp4', made), path);
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const { facts, film } = await catalogue.identify(workspaceId, { path, digest });
    const jobId = await submitted(['film.mp4'], 'video');
    const { manager } = database.dataSource;
    await manager.update(JobSourceEntity, { jobId, index: 0 }, { state: 'requested' });
    await writePlan(outbox, jobId, async (inside, job) => {
      await job.apply({ kind: 'opened' });
      const spans = film!.grid.map((interval) => ({
        sourceStart: 0,
        sourceEnd: 1,
        extent: { kind: 'video' as const, interval },
      }));
      const wanted = [{ moduleId: 'face_recognition', spans }];
      return planChunks(inside, job, 0, { digest, facts }, wanted);
    });
    await outbox.transaction(async (inside) =>
      failSource(inside, (await LockedJob.take(inside, jobId))!, 0, 'its server is asleep'),
    );
    const { id: chunkId } = await manager.findOneByOrFail(ChunkEntity, { jobId });
    await manager.update(ChunkEntity, { id: chunkId }, { state: 'requested' });
    await decode(chunkId);
    expect(await keys(packsPrefix(jobId))).toHaveLength(1);
  });

  it('loads a document once for its consecutive pages', async () => {
    beforePack = () => Promise.resolve();
    const path = join(folder, 'pages.pdf');
    await writeFile(path, pdfDocument(Array.from({ length: 3 }, () => ({ width: 36, height: 36 }))));
    const digest = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const { facts } = await catalogue.identify(workspaceId, { path, digest });
    const jobId = await submitted(['pages.pdf'], 'pdf');
    const { manager } = database.dataSource;
    await manager.update(JobSourceEntity, { jobId, index: 0 }, { state: 'requested' });
    await writePlan(outbox, jobId, async (inside, job) => {
      await job.apply({ kind: 'opened' });
      const spans = [0, 1, 2].map((page) => ({
        ...{ sourceStart: 0, sourceEnd: 1, extent: { kind: 'image' as const, page } },
      }));
      return planChunks(inside, job, 0, { digest, facts }, [{ moduleId: 'face_recognition', spans }]);
    });
    await manager.update(ChunkEntity, { jobId }, { state: 'requested' });
    for (const { id } of await manager.findBy(ChunkEntity, { jobId })) await decode(id);
    expect(await keys(packsPrefix(jobId))).toHaveLength(3);
    expect(documents.loads).toBe(1);
  });

  /** Makes the last pack fail after all others are written and `meanwhile` is over. */
  const failLast = (meanwhile: () => Promise<void>): void => {
    let begun = 0;
    beforePack = async () => {
      if (++begun < PICTURES.length) return;
      await othersWritten;
      await meanwhile();
      throw new AditError('UNAVAILABLE', 'The object store does not answer.');
    };
  };

  it.each(['delete', 'stop'] as const)('that fails leaves no packs of a job that ended by %s', async (deed) => {
    const { jobId, chunkId } = await requested();
    const left: string[][] = [];
    failLast(async () => {
      left.push(await keys(packsPrefix(jobId)));
      await new JobCommands(outbox, deaf())[deed](workspaceId, jobId);
    });
    await decode(chunkId);
    expect(left.map(({ length }) => length)).toEqual([PICTURES.length - 1]);
    expect(await keys(jobPrefix(jobId))).toEqual([]);
  });

  it.each(['delete', 'stop'] as const)('that succeeds leaves no packs of a job that ended by %s', async (deed) => {
    const { jobId, chunkId } = await requested();
    let begun = 0;
    beforePack = async () => {
      if (++begun < PICTURES.length) return;
      await othersWritten;
      await new JobCommands(outbox, deaf())[deed](workspaceId, jobId);
    };
    await decode(chunkId);
    expect(writes).toHaveLength(PICTURES.length);
    expect(await keys(jobPrefix(jobId))).toEqual([]);
  });

  it('that fails leaves the packs of a running job', async () => {
    const { jobId, chunkId } = await requested();
    failLast(() => Promise.resolve());
    await decode(chunkId);
    expect(await keys(packsPrefix(jobId))).toHaveLength(PICTURES.length - 1);
  });

  it('that fails fetches no more of its pictures', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `more-${at}.png`);
    for (const [at, name] of names.entries()) await writeFile(join(folder, name), blackPng(20 + at, 8));
    const { chunkId } = await requested(names);
    const fetched: number[] = [];
    const use = cache.use.bind(cache);
    cache.use = (source, work, signal) => {
      fetched.push(source.index);
      return use(source, work, signal);
    };
    beforePack = () => Promise.reject(new AditError('UNAVAILABLE', 'The object store does not answer.'));
    await decode(chunkId);
    // The number of concurrent pictures.
    expect(fetched.length).toBeLessThanOrEqual(4);
  });

  it('that fails waits for writes in progress', async () => {
    const { jobId, chunkId } = await requested();
    let begun = 0;
    let resolveGone = (): void => undefined;
    const gone = new Promise<void>((resolve) => (resolveGone = resolve));
    beforePack = async () => {
      if (++begun > 1) return gone;
      await new JobCommands(outbox, objects).delete(workspaceId, jobId);
      resolveGone();
      throw new AditError('UNAVAILABLE', 'The object store does not answer.');
    };
    await decode(chunkId);
    await Promise.allSettled(writes);
    expect(await keys(jobPrefix(jobId))).toEqual([]);
  });
});
