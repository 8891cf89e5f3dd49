import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, ModelManifest, modelId } from '@adit/contracts';
import {
  CanaryEntity,
  CanaryPictureEntity,
  CanaryRunEntity,
  ObjectRemovalEntity,
  openDatabase,
  type Database,
} from '@adit/database';
import type { Comparison } from '@adit/inference';
import { FilesystemObjectStore } from '@adit/objects';
import { CLOCK_ALONE, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Canaries, type RunningCanary } from './canaries.js';
import { addRun, noRunTimes } from './latency.js';
import { ModelStore } from './model-store.js';

const NOTHING = { skipped: 0, stable: null, candidate: null };

describe('a canary version', () => {
  let own: SpecDatabase;
  let database: Database;
  let folder: string;
  let store: ModelStore;
  let canaries: Canaries;
  const workspaceId = randomUUID();
  let name: string;
  let id: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-canaries-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    store = new ModelStore(database.dataSource, await FilesystemObjectStore.open(folder));
    canaries = new Canaries(database.dataSource);
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const add = async (): Promise<number> => {
    const manifest = ModelManifest.parse({ name, kind: 'network', task: 't', licence: 'private', origin: 'a spec' });
    const digest = randomUUID();
    return (await store.publish({ workspaceId: null, manifest, digest, folder, files: [] })).version;
  };
  const pinned = async (version: number) => {
    const found = (await store.versions()).find((each) => each.modelId === id && each.version === version);
    return { version, digest: found!.digest };
  };
  const start = async (version: number, share = 0.5, stable = 1) =>
    canaries.start(id, { stable: await pinned(stable), candidate: await pinned(version), share });
  const report = () => canaries.report(id, workspaceId);
  const running = async (): Promise<RunningCanary> => (await canaries.running()).find(({ modelId: of }) => of === id)!;
  const code = (error: unknown) => AditError.from(error).code;

  beforeEach(async () => {
    name = `m-${randomUUID().slice(0, 8)}`;
    id = modelId(name);
    for (let version = 1; version <= 3; version += 1) await add();
    await store.promote(id, 1);
  });

  const job = async (deleted = false): Promise<string> => {
    const jobId = randomUUID();
    await database.dataSource.query(
      `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, sources, time_deleted)
       VALUES ($1, $2, '', 'completed', 5, 4, 'image', '["a"]', $3)`,
      [jobId, workspaceId, deleted ? new Date() : null],
    );
    return jobId;
  };
  const seen = (label: string, difference = 0): Comparison => ({
    pictures: 2,
    labels: new Map([[label, { both: 3, stable: 1, candidate: 0 }]]),
    differences: difference === 0 ? [] : [{ index: 0, frame: 7, time: 1, difference, stable: [], candidate: [] }],
  });
  const kept = (jobId: string, difference: number, whose = workspaceId) => {
    const comparison = seen('dog', difference);
    const objectKey = `jobs/${jobId}/canary-${randomUUID()}.jpg`;
    return { comparison, picture: { workspaceId: whose, jobId, objectKey, difference: comparison.differences[0]! } };
  };
  const compare = async (run: Parameters<Canaries['compared']>[2]): Promise<void> => {
    const canary = await running();
    const runId = (await canaries.begin(canary))!;
    if (run.picture !== null) await canaries.expectPicture(run.picture.objectKey);
    await canaries.compared(canary, runId, run, NOTHING);
  };
  const isToGo = (prefix: string) => database.dataSource.manager.existsBy(ObjectRemovalEntity, { prefix });

  it('is one at a time, with a changeable share', async () => {
    await expect(report()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await start(2, 0.1);
    expect(await report()).toMatchObject({
      state: 'running',
      version: 2,
      stable_version: 1,
      share: 0.1,
      agreement: null,
    });
    const { id: first } = await running();
    await start(2, 0.9);
    expect(await running()).toMatchObject({ id: first, share: 0.9 });
    expect(await start(3).catch(code)).toBe('CONFLICT');
    await canaries.drop(id);
    expect(await canaries.drop(id).catch(code)).toBe('CONFLICT');
    await start(3);
    expect((await running()).id).not.toBe(first);
  });

  it("leaves the name's version unchanged while versions are added", async () => {
    await database.dataSource.query('UPDATE models SET default_version = NULL WHERE id = $1', [id]);
    await start(1, 0.5, 3);
    await add();
    expect(await report()).toMatchObject({ state: 'running', stable_version: 3 });
  });

  it.each([
    ['is promoted by any way', () => store.promote(id, 2), { state: 'promoted', reason: null }],
    ['ends when it is retired', () => store.retire(id, 2), { state: 'ended', reason: 'Version 2 was retired.' }],
    [
      'ends when the name means another',
      () => store.promote(id, 3),
      { state: 'ended', reason: 'The name means version 3 by now.' },
    ],
    [
      'ends when a build that knows nothing of it promotes another',
      () => database.dataSource.query('UPDATE models SET default_version = 3 WHERE id = $1', [id]),
      { state: 'ended', reason: 'The name means version 3 by now.' },
    ],
    [
      'ends when its model is deleted',
      async () => {
        for (const version of [3, 1, 2]) await store.retire(id, version);
      },
      { state: expect.stringMatching(/ended|promoted/) },
    ],
  ])('%s', async (_, change, wanted) => {
    await start(2);
    const canary = await running();
    await change();
    expect(await canaries.begin(canary)).toBeNull();
    expect(await report()).toMatchObject({ ...wanted, time_ended: expect.any(String) });
    expect(await running()).toBeUndefined();
  });

  it('counts reports, and none after its end', async () => {
    await start(2);
    const canary = await running();
    const times = noRunTimes();
    addRun(times, 1, 0.1);
    const [first, second] = [(await canaries.begin(canary))!, (await canaries.begin(canary))!];
    const told = { skipped: 4, stable: times, candidate: null };
    await canaries.compared(canary, first, { comparison: seen('dog', 0.5), picture: null }, told);
    await canaries.skipped(canary, second, { ...NOTHING, skipped: 1 });
    expect(await report()).toMatchObject({
      units: { compared: 1, skipped: 5, failed: 0, last_error: null },
      pictures: { compared: 2, differing: 1 },
      agreement: 0.75,
      labels: [{ label: 'dog', both: 3, only_stable: 1, only_candidate: 0 }],
      latency: { stable: { rows: 1, mean_seconds: 0.1 }, candidate: null },
    });
    const late = (await canaries.begin(canary))!;
    await canaries.drop(id);
    await canaries.compared(canary, late, { comparison: seen('dog'), picture: null }, NOTHING);
    expect((await report()).units.compared).toBe(1);
    expect(await database.dataSource.manager.countBy(CanaryRunEntity, { canaryId: canary.id })).toBe(0);
  });

  it('runs few units at a time, and is given up when its processes die of it', async () => {
    await start(2);
    const canary = await running();
    const begun: (string | null)[] = [];
    for (let at = 0; at < 9; at += 1) begun.push(await canaries.begin(canary));
    expect(begun.filter((run) => run === null)).toHaveLength(1);
    expect((await report()).units.failed).toBe(0);
    await database.dataSource.query(
      `UPDATE canary_runs SET time_created = now() - interval '1 hour' WHERE canary_id = $1`,
      [canary.id],
    );
    expect(await canaries.begin(canary)).toBeNull();
    expect(await report()).toMatchObject({
      state: 'ended',
      reason: 'Version 2 failed of 8 units: A process that ran it ended without a word.',
      units: { failed: 8 },
    });
  });

  it('keeps the units of others, also in a process whose clock is ahead', async () => {
    await start(2);
    const canary = await running();
    const theirs = (await canaries.begin(canary))!;
    jest.useFakeTimers({ now: Date.now() + 20 * 60_000, doNotFake: [...CLOCK_ALONE] });
    expect(await canaries.begin(canary)).not.toBeNull();
    jest.useRealTimers();
    expect((await report()).units.failed).toBe(0);
    expect(await database.dataSource.manager.existsBy(CanaryRunEntity, { id: theirs })).toBe(true);
  });

  it('is given up when it fails more often than not, and not before', async () => {
    await start(2);
    const canary = await running();
    const fail = async () => canaries.failed(canary, (await canaries.begin(canary))!, 'NaN.', NOTHING);
    for (let at = 0; at < 5; at += 1) await compare({ comparison: seen('dog'), picture: null });
    for (let at = 0; at < 5; at += 1) await fail();
    expect(await report()).toMatchObject({ state: 'running', units: { failed: 5, last_error: 'NaN.' } });
    await fail();
    expect(await report()).toMatchObject({ state: 'ended', reason: 'Version 2 failed of 6 units: NaN.' });
  });

  it('shows a workspace its own pictures that differ most, as long as their jobs exist', async () => {
    await start(2);
    const [jobId, other, otherWorkspace] = [await job(), await job(true), randomUUID()];
    for (let at = 1; at <= 22; at += 1) await compare(kept(jobId, at));
    await compare(kept(jobId, 100, otherWorkspace));
    const gone = kept(other, 50);
    await compare(gone);
    const { differing_pictures: pictures } = await report();
    expect(pictures.map(({ difference }) => difference)).toEqual(Array.from({ length: 20 }, (_, at) => 22 - at));
    const db = database.dataSource.manager;
    expect(await db.existsBy(ObjectRemovalEntity, { prefix: gone.picture.objectKey })).toBe(true);
    expect(await canaries.isShown(await running(), workspaceId, 3)).toBe(false);
    expect(await canaries.isShown(await running(), workspaceId, 23)).toBe(true);
    const [theirs] = (await canaries.report(id, otherWorkspace)).differing_pictures;
    expect(await canaries.pictureKey(id, workspaceId, pictures[0]!.id)).toContain(jobId);
    expect(await canaries.pictureKey(id, workspaceId, theirs!.id).catch(code)).toBe('NOT_FOUND');
    await canaries.sweep(new Date(Date.now() + 8 * 24 * 3_600_000));
    expect((await report()).differing_pictures).toEqual([]);
    expect(await db.countBy(CanaryPictureEntity, { canaryId: (await running()).id })).toBe(0);
  });

  it('undoes nothing that another process has promoted meanwhile', async () => {
    const [stable, candidate] = [await pinned(1), await pinned(2)];
    await store.promote(id, 3);
    expect(await canaries.start(id, { stable, candidate, share: 0.5 }).catch(code)).toBe('CONFLICT');
    expect((await store.versions()).find(({ modelId: of }) => of === id)!.defaultVersion).toBe(3);
  });

  it('counts labels of any name', async () => {
    await start(2);
    for (const label of ['constructor', '__proto__', 'constructor']) {
      await compare({ comparison: seen(label), picture: null });
    }
    const { units, labels } = await report();
    expect([units.compared, units.failed]).toEqual([3, 0]);
    expect(labels).toMatchObject([
      { label: 'constructor', both: 6 },
      { label: '__proto__', both: 3 },
    ]);
  });

  it('leaves no hidden picture behind, however it ends', async () => {
    await start(2);
    const canary = await running();
    const jobId = await job();
    const shown = kept(jobId, 1);
    await compare(shown);
    expect(await isToGo(shown.picture.objectKey)).toBe(false);
    // One process that dies, and one that finishes after the end.
    const [lost, late] = [kept(jobId, 2), kept(jobId, 3)];
    const run = (await canaries.begin(canary))!;
    for (const { picture } of [lost, late]) await canaries.expectPicture(picture.objectKey);
    await canaries.drop(id);
    await canaries.compared(canary, run, late, NOTHING);
    expect([await isToGo(lost.picture.objectKey), await isToGo(late.picture.objectKey)]).toEqual([true, true]);
    expect((await report()).differing_pictures).toHaveLength(1);
    // A build without canaries erases the job.
    await database.dataSource.query('DELETE FROM jobs WHERE id = $1', [jobId]);
    await canaries.sweep(new Date());
    expect((await report()).differing_pictures).toEqual([]);
    expect(await isToGo(shown.picture.objectKey)).toBe(true);
  });

  it('is removed with its model where an earlier build erased that', async () => {
    await start(2);
    const canary = await running();
    expect(await canaries.begin(canary)).not.toBeNull();
    await canaries.sweep(new Date());
    expect(await database.dataSource.manager.countBy(CanaryRunEntity, { canaryId: canary.id })).toBe(1);
    await database.dataSource.query('DELETE FROM models WHERE id = $1', [id]);
    await canaries.sweep(new Date());
    expect(await database.dataSource.manager.countBy(CanaryEntity, { modelId: id })).toBe(0);
    expect(await database.dataSource.manager.countBy(CanaryRunEntity, { canaryId: canary.id })).toBe(0);
  });

  it('stores no picture while its workspace erases a person, who may be on it', async () => {
    await start(2);
    const run = kept(await job(), 1);
    const erasure = randomUUID();
    await database.dataSource.query(
      `INSERT INTO erasures (id, workspace_id, subject, actor_kind, actor_id, actor_name, request_id)
       VALUES ($1, $2, '{}', 'api-key', 'a', 'a', 'a')`,
      [erasure, workspaceId],
    );
    await compare(run);
    await database.dataSource.query('DELETE FROM erasures WHERE id = $1', [erasure]);
    expect((await report()).differing_pictures).toEqual([]);
    expect(await isToGo(run.picture.objectKey)).toBe(true);
  });

  it('never changes from one end state to another, in any order of events', async () => {
    const steps = fc.array(fc.constantFrom('promote 1', 'promote 2', 'retire 2', 'retire 1', 'drop', 'begin', 'fail'), {
      maxLength: 7,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        await database.dataSource.manager.delete(CanaryEntity, { modelId: id });
        for (const version of [1, 2, 3]) await store.promote(id, version);
        await store.promote(id, 1);
        await start(2);
        const canary = await running();
        let before = 'running';
        for (const step of given) {
          const [verb, version] = step.split(' ');
          if (verb === 'promote') await store.promote(id, Number(version));
          else if (verb === 'retire') await store.retire(id, Number(version));
          else if (verb === 'drop') await canaries.drop(id).catch(() => undefined);
          else {
            const run = await canaries.begin(canary);
            expect(run === null).toBe(before !== 'running');
            if (run !== null) await canaries.failed(canary, run, 'it fails', NOTHING);
          }
          const { state } = await report();
          if (before !== 'running') expect(state).toBe(before);
          before = state;
        }
      }),
      { numRuns: 15 },
    );
  });
});
