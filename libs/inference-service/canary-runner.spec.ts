/** @needs weights */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf, ModelManifest, modelId, type Unit } from '@adit/contracts';
import { CanaryRunEntity, openDatabase, type Database } from '@adit/database';
import {
  AnalysisRegistry,
  AnalysisRunner,
  comparePictures,
  defineAnalysis,
  floatTensor,
  ModelRepository,
  readVersion,
  SessionPool,
  type AnalysisInput,
} from '@adit/inference';
import { linearGraph } from '@adit/inference/spec-graph';
import { encodeJpeg, openFramePack, packFrames } from '@adit/media';
import { Canaries, ModelCache, ModelStore, StoredModels } from '@adit/model-store';
import { FilesystemObjectStore } from '@adit/objects';
import { filmFacts, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { CanaryRunner, isOfShare, type CanaryUnit } from './canary-runner.js';
import { WatchedRuns } from './run-times.js';

const SIDE = 64;
/** Hook that the analysis below calls beside running its network. */
const behaviour = { onInference: (): Promise<void> | void => undefined };

/** Labels each picture `bright`, with its network's brightness as score. */
const brightness = defineAnalysis({
  name: 'brightness',
  family: 'test',
  version: 1,
  args: z.object({}),
  observations: z.object({ scores: z.array(z.number()) }),
  models: ['bright'],
  input: { kind: 'frames', specs: () => [{ rate: 1, shorterSide: SIDE }] },
  analyse: async ({ packs: [pack] }, { networks, signal }) => {
    const scores: number[] = [];
    for (const index of pack!.frames.keys()) {
      await behaviour.onInference();
      signal.throwIfAborted();
      await pack!.picture(index);
      const row = { x: floatTensor(Float32Array.of(index / 10), [1]) };
      scores.push(Object.values(await networks.bright.run(row))[0]!.data[0] as number);
    }
    return { scores };
  },
  compare: ({ scores: stable }, { scores: candidate }) => {
    const seen = (scores: number[]) =>
      scores.map((score, frame) => ({ frame, time: frame, seen: [{ label: 'bright', score, box: null }] }));
    const match = (a: readonly { score: number }[], b: readonly { score: number }[]) =>
      a.flatMap((left, at) => (Math.abs(left.score - b[at]!.score) < 0.3 ? [{ left, right: b[at]! }] : []));
    return comparePictures(seen(stable), seen(candidate), { match: match as never, sureFrom: 0.35 });
  },
});

describe('a candidate in an inference process', () => {
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let store: ModelStore;
  let cache: ModelCache;
  let repository: ModelRepository;
  let canaries: Canaries;
  let input: AnalysisInput;
  const runs = new WatchedRuns();
  const pool = new SessionPool({
    onnx: { threads: 1 },
    observer: { ran: (_, rows, seconds, digest) => runs.ran(digest, rows, seconds) },
  });
  const job = { id: randomUUID(), workspaceId: randomUUID() };
  const unit: Unit = { kind: 'image', sourceIndex: 0, mediaDigest: 'd'.repeat(64), facts: filmFacts() };
  const id = modelId('bright');

  /** Adds the next version, with these weights. */
  async function add(weights: Buffer | Uint8Array): Promise<void> {
    const at = await mkdtemp(join(folder, 'version-'));
    await writeFile(join(at, 'model.onnx'), weights);
    const manifest = ModelManifest.parse({
      ...{ name: 'bright', kind: 'network', task: 't', licence: 'MIT', origin: 'a spec' },
    });
    const { pin, files } = await readVersion(at, manifest, 1);
    await store.publish({ workspaceId: null, manifest, digest: pin.digest, folder: at, files });
  }
  const pins = async () => {
    const versions = (await store.versions()).filter(({ modelId: of }) => of === id);
    return versions.map(({ version, digest }) => ({ name: 'bright', version, digest }));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-canary-runner-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    store = new ModelStore(database.dataSource, objects);
    cache = new ModelCache(objects, { folder: join(folder, 'cache'), maxBytes: 1e9 });
    canaries = new Canaries(database.dataSource);
    for (const weight of [1, 2]) await add(linearGraph(1, weight));
    await store.promote(id, 1);
    repository = await ModelRepository.open({ roots: [], shared: new StoredModels(store, cache), settleMs: 0 });
    const picture = { width: SIDE, height: SIDE, data: new Uint8Array(SIDE * SIDE * 3).fill(120) };
    const { data } = await encodeJpeg(picture);
    const frames = Array.from({ length: 9 }, (_, frame) => ({
      ...{ frame, pts: frame, time: frame, width: SIDE, height: SIDE },
    }));
    const bytes = packFrames(
      frames,
      frames.map(() => data),
    );
    const pack = await openFramePack((start, end) => Promise.resolve(bytes.subarray(start, end + 1)));
    input = { kind: 'frames', unit, packs: [pack] } as AnalysisInput;
    await database.dataSource.query(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources)
       VALUES ($1, $2, '', 'processing', 5, 4, 'image', '["a"]')`,
      [job.id, job.workspaceId],
    );
  });
  afterAll(async () => {
    await repository?.close();
    await pool.close();
    await cache?.close();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const process = () => {
    const analyses = AnalysisRegistry.of([brightness]);
    const runner = new AnalysisRunner(repository, pool);
    return { canary: new CanaryRunner(canaries, objects, analyses, runner, repository, runs), runner };
  };

  /** Runs a job's analysis as the worker does, and returns its result. */
  async function analysed(at = process(), args: Record<string, unknown> = {}) {
    const [stable] = await pins();
    const models = [stable!];
    const request = { analysis: 'brightness', args, models, digest: digestOf(models) };
    const keepPicture = () => Promise.reject(new Error('No picture is kept.'));
    const kept: Parameters<CanaryRunner['add']>[0] = [];
    await at.canary.refresh();
    const observations = await at.runner.run({ analysis: brightness, args: {}, models, input, keepPicture });
    const seen: CanaryUnit = { job, request, unit, input, observations, prefix: `jobs/${job.id}/primary/` };
    await at.canary.keep(kept, seen);
    return { ...at, kept };
  }
  const begin = async (version = 2, share = 1) => {
    const [stable, ...others] = await pins();
    const candidate = others.find((each) => each.version === version)!;
    await canaries.start(id, { stable: stable!, candidate, share });
  };
  const report = () => canaries.report(id, job.workspaceId);

  it('analyses what a job has received, afterwards, and keeps the picture that differs most', async () => {
    await begin();
    const { canary, kept } = await analysed();
    expect(kept).toHaveLength(1);
    canary.add(kept);
    await canary.idle();
    const found = await report();
    expect(found).toMatchObject({
      state: 'running',
      units: { compared: 1, skipped: 0, failed: 0 },
      // 1 + x and 1 + 2x of pictures 0.0 to 0.8: more than 0.3 apart from the fourth or fifth on.
      pictures: { compared: 9 },
      labels: [{ label: 'bright' }],
      latency: { stable: { rows: 9 }, candidate: { rows: 9 } },
    });
    const [worst] = found.differing_pictures;
    expect(worst).toMatchObject({ job_id: job.id, frame: 8 });
    expect(worst!.candidate[0]!.score).toBeCloseTo(worst!.stable[0]!.score + 0.8, 5);
    const key = await canaries.pictureKey(id, job.workspaceId, worst!.id);
    expect(key).toMatch(`jobs/${job.id}/primary/canary-`);
    expect((await objects.read(key)).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    await canaries.drop(id);
  });

  it("counts a job's search words without naming them, also with a model without labels", async () => {
    await begin();
    const { canary, kept } = await analysed(process(), { words: ['bright'] });
    canary.add(kept);
    await canary.idle();
    expect((await report()).labels.map(({ label }) => label)).toEqual(['']);
    await canaries.drop(id);
  });

  it('analyses nothing without a canary, for a version that is not the stable one, or beyond its share', async () => {
    expect((await analysed()).kept).toEqual([]);
    await begin(2, 1e-9);
    expect((await analysed()).kept).toEqual([]);
    await canaries.drop(id);
  });

  it('analyses nothing of another model, even with the same weights', async () => {
    await begin();
    const { canary, kept } = await analysed();
    const { request } = kept[0]!.primary;
    const models = request.models.map((pin) => ({ ...pin, name: 'other' }));
    const others: typeof kept = [];
    await canary.keep(others, { ...kept[0]!.primary, request: { ...request, models } });
    expect(others).toEqual([]);
    await canaries.drop(id);
  });

  it('analyses the units of a share in every larger share too', () => {
    const units = Array.from({ length: 2000 }, (_, at): Unit => ({ ...unit, mediaDigest: String(at) }));
    const of = (share: number) => units.filter((each) => isOfShare({ id: 'a', share }, each, 'd'));
    expect(of(1)).toHaveLength(2000);
    expect(of(0.2).length / 2000).toBeCloseTo(0.2, 1);
    const larger = new Set(of(0.5));
    expect(of(0.2).every((each) => larger.has(each))).toBe(true);
  });

  it('that fails is counted and affects nobody else; one that keeps failing is given up', async () => {
    await begin();
    const { canary, kept } = await analysed();
    behaviour.onInference = () => Promise.reject(new Error('it went wrong'));
    for (let at = 0; at < 6; at += 1) canary.add(kept);
    await canary.idle();
    behaviour.onInference = () => undefined;
    expect(await report()).toMatchObject({
      state: 'ended',
      units: { compared: 0, failed: 5, last_error: expect.stringContaining('it went wrong') },
    });
  });

  it('yields to work that has to run alone, and to the end of the process, without blame', async () => {
    for (const end of ['yieldToSuspect', 'beforeApplicationShutdown'] as const) {
      await begin();
      const { canary, kept } = await analysed();
      let began!: () => void;
      const atWork = new Promise<void>((resolve) => (began = resolve));
      let goOn!: () => void;
      const held = new Promise<void>((resolve) => (goOn = resolve));
      behaviour.onInference = () => {
        began();
        return held;
      };
      canary.add([...kept, ...kept, ...kept]);
      await atWork;
      let isOver = false;
      const ended = canary[end]().then(() => (isOver = true));
      await sleep(20);
      // Work that has to run alone does not begin beside it.
      expect(isOver).toBe(false);
      goOn();
      await ended;
      await canary.idle();
      behaviour.onInference = () => undefined;
      expect([end, (await report()).units]).toEqual([end, { compared: 0, skipped: 3, failed: 0, last_error: null }]);
      expect(await database.dataSource.manager.countBy(CanaryRunEntity, { canaryId: (await report()).id })).toBe(0);
      await canaries.drop(id);
    }
  });

  it('whose files are gone fails alone', async () => {
    await add(linearGraph(1, 3));
    await begin(3);
    await repository.refresh();
    const { objectPrefix } = (await store.versions()).find(({ version }) => version === 3)!;
    await objects.deletePrefix(objectPrefix);
    const { canary, kept } = await analysed();
    canary.add(kept);
    await canary.idle();
    expect((await report()).units).toMatchObject({ compared: 0, failed: 1 });
    await canaries.drop(id);
  });

  it('has a short queue: units that arrive faster than it works are skipped', async () => {
    await begin();
    const { canary, kept } = await analysed();
    const [first] = kept;
    const huge = { ...first!.primary.input, packs: [{ frames: [{ width: 30_000, height: 10_000 }] }] } as never;
    const large = { ...first!, primary: { ...first!.primary, input: huge } };
    const chunk = [...kept];
    await canary.keep(chunk, large.primary);
    expect(chunk).toHaveLength(1);
    canary.add([first!, large, large, large]);
    await canary.idle();
    await canary.idle();
    const { units } = await report();
    expect(units.compared).toBe(1);
    expect(units.skipped).toBeGreaterThanOrEqual(2);
    await canaries.drop(id);
  });
});
