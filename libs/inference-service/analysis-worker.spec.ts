/** @needs build */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, BusContext, OutgoingMessage } from '@adit/bus';
import { AditError, DECODER_VERSION, type FrameSpec, type Payload } from '@adit/contracts';
import { openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { JobSettings, knownObservations, packKey, Reconciler, Scheduler } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { FilesystemObjectStore } from '@adit/objects';
import { encodeJpeg, packFrames } from '@adit/media';
import { buildVersion } from '@adit/runtime';
import { filmFacts, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineAnalysis } from '@adit/inference';
import { AnalysisRunner } from '@adit/inference';
import { ModelRepository } from '@adit/inference';
import { analysisDigest, AnalysisRegistry, identityOf } from '@adit/inference';
import { SessionPool } from '@adit/inference';
import { Canaries } from '@adit/model-store';
import { AnalysisWorker } from './analysis-worker.js';
import { CanaryRunner } from './canary-runner.js';
import { WatchedRuns } from './run-times.js';

const interval = { frameStart: 0, frameEnd: 250, ptsStart: 0, ptsEnd: 250, seekPts: 0 };
const mediaDigest = 'd'.repeat(64);
const settings = JobSettings.parse({});
/** Its analysis runs no model. */
const madeBy = { engine: buildVersion(), providers: [] };

/** Counts the pictures it is given. */
const counting = (version: number, frames: FrameSpec[] = [{ rate: 1, shorterSide: 100 }]) =>
  defineAnalysis({
    name: 'counting',
    family: 'test',
    version,
    args: z.strictObject({ from: z.number().default(0) }),
    observations: z.object({ version: z.number(), pictures: z.number() }),
    models: [],
    input: { kind: 'frames', specs: () => frames },
    analyse: async ({ packs: [pack] }) => ({ version, pictures: pack!.frames.length }),
  });

describe('a worker and the requested analysis', () => {
  const published: OutgoingMessage[] = [];
  const pool = new SessionPool({ onnx: { threads: 1 } });
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let repository: ModelRepository;
  let outbox: OutboxRelay;
  let workspaceId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-worker-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    repository = await ModelRepository.open({ roots: [] });
    const bus = { publish: async (messages: OutgoingMessage[]) => void published.push(...messages) };
    outbox = new OutboxRelay(database.dataSource, bus as unknown as Bus);
  });
  beforeEach(async () => {
    published.length = 0;
    workspaceId = randomUUID();
    await database.dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'w', signingSecret: 's' });
  });
  afterAll(async () => {
    await outbox?.onApplicationShutdown();
    await pool.close();
    await repository?.close();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true });
  });

  const query = <T>(sql: string, parameters: unknown[] = []) => database.dataSource.query<T[]>(sql, parameters);

  /** A decoded chunk of a job that a build with `asked` planned. */
  const requested = async (
    asked: ReturnType<typeof counting>,
    decoder: { asked?: number; was?: number; pictures?: number } = {},
  ) => {
    const identity = identityOf(asked, { from: 0 }, [], decoder.asked);
    const digest = analysisDigest(identity);
    const [jobId, chunkId] = [randomUUID(), randomUUID()];
    const size = { width: 16, height: 16 };
    const { data } = await encodeJpeg({ ...size, data: new Uint8Array(16 * 16 * 3) });
    const frames = Array.from({ length: decoder.pictures ?? 1 }, (_, frame) => ({
      ...{ frame, pts: frame, time: frame, ...size },
    }));
    const pack = packFrames(
      frames,
      frames.map(() => data),
      decoder.was,
    );
    const key = packKey(jobId, chunkId, 0, 'pack');
    await objects.put(key, pack);
    const packs = { 0: Object.fromEntries(identity.frames.map((spec) => [`r${spec.rate}-s${spec.shorterSide}`, key])) };
    await query(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources)
       VALUES ($1, $2, '', 'processing', 5, 4, 'video', '["a"]')`,
      [jobId, workspaceId],
    );
    await query(
      `INSERT INTO job_sources (job_id, index, uri, state, media_digest, facts) VALUES ($1, 0, 'a', 'planned', $2, $3)`,
      [jobId, mediaDigest, filmFacts()],
    );
    await query(
      `INSERT INTO media (workspace_id, digest, facts, generation, time_expires)
       VALUES ($1, $2, $3, 'folder', now() + interval '1 day') ON CONFLICT DO NOTHING`,
      [workspaceId, mediaDigest, filmFacts()],
    );
    await query(
      `INSERT INTO chunks (id, job_id, position, source_start, source_end, interval, state, packs)
       VALUES ($1, $2, 0, 0, 1, $3, 'decoded', $4)`,
      [chunkId, jobId, interval, packs],
    );
    await query(
      `INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
       VALUES ($1, $2, 'counting', 'test', $3, $4, '[]')`,
      [jobId, digest, identity.args, JSON.stringify(identity.frames)],
    );
    await query(`INSERT INTO chunk_analyses (chunk_id, digest, job_id, state) VALUES ($1, $2, $3, 'requested')`, [
      chunkId,
      digest,
      jobId,
    ]);
    return { jobId, chunkId, digest };
  };

  /** Gives the message to a process of the build that has `definition`. */
  const give = async (
    definition: ReturnType<typeof counting>,
    { jobId, chunkId, digest }: Asked,
    { attempt = 1, yieldToSuspect }: { attempt?: number; yieldToSuspect?: () => Promise<void> } = {},
  ) => {
    const analyses = AnalysisRegistry.of([definition]);
    const runner = new AnalysisRunner(repository, pool);
    const canaries = new CanaryRunner(
      new Canaries(database.dataSource),
      objects,
      analyses,
      runner,
      repository,
      new WatchedRuns(),
    );
    if (yieldToSuspect !== undefined) canaries.yieldToSuspect = yieldToSuspect;
    const worker = new AnalysisWorker(database.dataSource, outbox, objects, analyses, runner, settings, canaries);
    const envelope = { jobId, attempt, traceparent: null };
    const context = {
      envelope,
      topic: 'analyses.counting.requested',
      key: chunkId,
      signal: new AbortController().signal,
    };
    await worker.handle({ chunkId, analysisDigest: digest }, context as unknown as BusContext);
    await outbox.idle();
    const row = await query<Row>(
      `SELECT attempts, lease_until, put_off_since FROM chunk_analyses WHERE chunk_id = $1`,
      [chunkId],
    );
    const cached = await knownObservations(database.dataSource.manager, workspaceId, [mediaDigest], [digest]);
    return { ...row[0]!, cached: [...cached.values()] };
  };

  const outcome = async (jobId: string) => {
    const [message] = published.filter(
      ({ topic, envelope }) => topic === 'chunks.analysed' && envelope.jobId === jobId,
    );
    if (message === undefined) return null;
    const { units, error } = message.envelope.payload as Payload<'chunks.analysed'>;
    const [unit] = units ?? [];
    const key = unit?.observations ?? null;
    const seen = key === null ? null : JSON.parse((await objects.read(key)).toString());
    return { error, key, seen, ...(unit?.madeBy && { madeBy: unit.madeBy }) };
  };

  const waitedLong = ({ chunkId }: Asked) =>
    query(`UPDATE chunk_analyses SET put_off_since = now() - interval '1 hour' WHERE chunk_id = $1`, [chunkId]);

  it("caches its result under the request's digest", async () => {
    const asked = await requested(counting(1));
    const { cached } = await give(counting(1), asked);
    const { key, seen } = (await outcome(asked.jobId))!;
    expect(seen).toEqual({ version: 1, pictures: 1 });
    expect(cached).toEqual([{ observations: key, madeBy }]);
  });

  it('records the maker of new and of cached observations', async () => {
    const first = await requested(counting(1));
    await give(counting(1), first);
    expect(await outcome(first.jobId)).toMatchObject({ madeBy });
    // Simulates the release before, which recorded itself.
    await query(`UPDATE observations SET maker = maker || '{"engine": "0.0.1"}' WHERE workspace_id = $1`, [
      workspaceId,
    ]);
    const second = await requested(counting(1));
    await give(counting(1), second);
    expect(await outcome(second.jobId)).toMatchObject({ madeBy: { ...madeBy, engine: '0.0.1' } });
    // Simulates a build that cannot use the cache and analysed again.
    const other = `media/${workspaceId}/${mediaDigest}/folder/other/observations.json`;
    await objects.put(other, Buffer.from('{}'));
    await query(`UPDATE observations SET object_key = $2 WHERE workspace_id = $1`, [workspaceId, other]);
    const third = await requested(counting(1));
    await give(counting(1), third);
    expect(await outcome(third.jobId)).toEqual({ error: null, key: other, seen: {} });
  });

  it('runs a suspected crasher only when no candidate is running', async () => {
    const asked = await requested(counting(1));
    await query('UPDATE chunk_analyses SET attempts = 1 WHERE chunk_id = $1', [asked.chunkId]);
    const attempts = async () =>
      (
        await query<Row>('SELECT attempts, lease_until, put_off_since FROM chunk_analyses WHERE chunk_id = $1', [
          asked.chunkId,
        ])
      )[0]!.attempts;
    const meanwhile: number[] = [];
    const yieldToSuspect = async () => void meanwhile.push(await attempts());
    await give(counting(1), asked, { attempt: 2, yieldToSuspect });
    expect([meanwhile, await attempts()]).toEqual([[1], 2]);
    expect((await outcome(asked.jobId))!.seen).toEqual({ version: 1, pictures: 1 });
  });

  it('fails every chunk when a model is gone', async () => {
    const gone = new AditError('MODEL_NOT_INSTALLED', 'the model has gone');
    const failing = defineAnalysis({ ...counting(1), analyse: () => Promise.reject(gone) });
    const asked = await requested(failing);
    await give(failing, asked);
    const payloads = published
      .filter(({ topic, envelope }) => topic === 'chunks.analysed' && envelope.jobId === asked.jobId)
      .map(({ envelope }) => envelope.payload);
    expect(payloads).toMatchObject([{ units: null, error: gone.message, everyChunk: true }]);
  });

  it('reports progress during the pictures of a chunk', async () => {
    const shown: number[] = [];
    const slow = defineAnalysis({
      ...counting(1),
      analyse: async ({ packs: [pack] }) => {
        for (const index of [0, 1, 2, 3]) {
          await pack!.picture(index);
          while (shown.at(-1) !== index / 4) {
            const [row] = await query<{ progress: number }>(`SELECT progress FROM chunk_analyses WHERE chunk_id = $1`, [
              asked.chunkId,
            ]);
            shown.push(row!.progress);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
        return { version: 1, pictures: 4 };
      },
    });
    const asked = await requested(slow, { pictures: 4 });
    await give(slow, asked);
    expect([...new Set(shown)]).toEqual([0, 0.25, 0.5, 0.75]);
    expect((await outcome(asked.jobId))!.seen).toEqual({ version: 1, pictures: 4 });
  });

  it.each([
    ['another version', counting(2)],
    ['other pictures', counting(1, [{ rate: 2, shorterSide: 100 }])],
  ])('defers %s to a process of that build, without blame', async (_, definition) => {
    const asked = await requested(counting(1));
    const { attempts, lease_until, cached } = await give(definition, asked);
    expect({ attempts, cached, outcome: await outcome(asked.jobId) }).toEqual({
      attempts: 0,
      cached: [],
      outcome: null,
    });
    // It is dispatched again soon, under a key that may lead to another process.
    expect(new Date(lease_until!).getTime() - Date.now()).toBeLessThan(60_000);
    await query(`UPDATE chunk_analyses SET lease_until = now() WHERE chunk_id = $1`, [asked.chunkId]);
    const scheduler = new Scheduler(outbox, settings, database.dataSource);
    await new Reconciler(outbox, scheduler, settings, database.dataSource).run();
    await scheduler.onApplicationShutdown();
    await outbox.idle();
    const again = published.filter(({ envelope }) => envelope.jobId === asked.jobId);
    expect(again).toMatchObject([{ topic: 'analyses.counting.requested' }]);
    expect(again[0]!.key).not.toBe(asked.chunkId);
    // The process that supports it still does it.
    await query(`UPDATE chunk_analyses SET lease_until = NULL WHERE chunk_id = $1`, [asked.chunkId]);
    expect((await give(counting(1), asked)).cached).toHaveLength(1);
  });

  /** @hardening jobs: Two versions of an analysis share a digest */
  it('does another version’s work once no process of that build is left, without caching it', async () => {
    const asked = await requested(counting(1));
    await waitedLong(asked);
    const { cached } = await give(counting(2), asked);
    const { key, seen } = (await outcome(asked.jobId))!;
    expect(seen).toEqual({ version: 2, pictures: 1 });
    expect(key).toMatch(`jobs/${asked.jobId}/`);
    expect(cached).toEqual([]);
  });

  it('reports when no process can do the requested work', async () => {
    const asked = await requested(counting(1));
    await waitedLong(asked);
    const { cached } = await give(counting(1, [{ rate: 2, shorterSide: 100 }]), asked);
    expect((await outcome(asked.jobId))!.error).toMatch(/post the job again/);
    expect(cached).toEqual([]);
  });

  it('analyses pictures of another decoder version, without caching the result', async () => {
    for (const decoder of [{ was: DECODER_VERSION - 1 }, { asked: DECODER_VERSION - 1 }]) {
      const asked = await requested(counting(1), decoder);
      const { cached } = await give(counting(1), asked);
      expect((await outcome(asked.jobId))!.seen).toEqual({ version: 1, pictures: 1 });
      expect(cached).toEqual([]);
    }
  });
});

interface Asked {
  jobId: string;
  chunkId: string;
  digest: string;
}

interface Row {
  attempts: number;
  lease_until: string | null;
  put_off_since: string | null;
}
