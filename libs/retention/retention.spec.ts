/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import type { RetentionKind } from '@adit/contracts';
import {
  ArtifactEntity,
  ExportEntity,
  inTransaction,
  MediaEntity,
  ObservationEntity,
  StorageEntryEntity,
  WorkspaceEntity,
} from '@adit/database';
import { filmFacts } from '@adit/testing';
import { JobsUnderTest } from '@adit/jobs/testing';
import { noteMedia } from '@adit/jobs';
import { keepFaces } from '@adit/search';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Sweeper } from './sweeper.js';
import { sweeperOf } from './testing/sweeper-of.js';
import { installationValues, noteChanges, pendingChanges } from './values.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

let jobs: JobsUnderTest;
let sweeper: Sweeper;

beforeAll(async () => {
  jobs = await JobsUnderTest.start();
  sweeper = sweeperOf(jobs);
});
beforeEach(() => jobs.reset());
afterAll(() => jobs.close());

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/** Keeps things of a kind for so long from now on. */
const keep = (kind: RetentionKind, seconds: number): Promise<void> =>
  inTransaction(jobs.db, async (manager) => {
    await manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { retention: { [kind]: seconds } });
    await noteChanges(manager, jobs.workspaceId, [kind]);
  });

const hold = (...heldTags: string[]) => jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { heldTags });

/** A job with a tag that ended some seconds ago. */
async function ended(secondsAgo: number, tag = '', sources?: string[]): Promise<string> {
  const order = jobs.order(sources);
  const { job } = await jobs.commands.submit({ ...order, request: { ...order.request, tag } });
  await jobs.locked(job.id, (locked) => locked.apply({ kind: 'stop' }));
  await jobs.db.query('UPDATE jobs SET time_completed = $2 WHERE id = $1', [job.id, inSeconds(-secondsAgo)]);
  return job.id;
}

const isDeleted = async (id: string): Promise<boolean> =>
  (await jobs.db.query('SELECT time_deleted FROM jobs WHERE id = $1', [id]))[0].time_deleted !== null;

async function artifact(jobId: string, secondsAgo: number): Promise<string> {
  const [id, timeCreated] = [randomUUID(), inSeconds(-secondsAgo)];
  const timeExpiration = new Date(timeCreated.getTime() + 7 * DAY * 1000);
  const file = { filename: 'a', mimeType: null, objectKey: `jobs/${jobId}/artifacts/${id}`, size: '1' };
  await jobs.objects.put(file.objectKey, Buffer.from('a'));
  await jobs.db.manager.insert(ArtifactEntity, { id, jobId, ...file, timeCreated, timeExpiration });
  return id;
}

const expiryOf = async (id: string): Promise<number | null> =>
  (await jobs.db.manager.findOneBy(ArtifactEntity, { id }))?.timeExpiration.getTime() ?? null;

async function media(digest: string): Promise<void> {
  const { workspaceId } = jobs;
  await noteMedia(jobs.db, { workspaceId, digest, partOf: null, facts: filmFacts(), grid: [] });
  const timeExpires = inSeconds(7 * DAY);
  const unit = { mediaDigest: digest, interval: 'image', analysisDigest: 'f', objectKey: `media/${digest}/o.json` };
  await jobs.db.manager.insert(ObservationEntity, { workspaceId, ...unit, timeExpires });
}

const known = (digest: string) => jobs.db.manager.countBy(ObservationEntity, { mediaDigest: digest });

async function file(name: string, secondsAgo: number): Promise<string> {
  const { workspaceId } = jobs;
  const key = randomUUID();
  const timeUploaded = inSeconds(-secondsAgo);
  const entry = { folder: '/', name, isFolder: false, key, size: '1', uploaded: true, timeUploaded };
  await jobs.objects.put(`storage/${workspaceId}/${key}`, Buffer.from('a'));
  await jobs.db.manager.insert(StorageEntryEntity, { workspaceId, ...entry });
  return key;
}

const files = async (): Promise<string[]> =>
  (await jobs.db.manager.findBy(StorageEntryEntity, { workspaceId: jobs.workspaceId }))
    .map(({ name }) => name)
    .toSorted();

/** The statements that go to the database without a transaction. */
async function queriesOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = jest.spyOn(jobs.db, 'query');
  try {
    await work();
    return query.mock.calls.map(([sql]) => sql);
  } finally {
    query.mockRestore();
  }
}

describe('retention of a workspace', () => {
  it('deletes jobs with their results that ended long enough ago, and no others', async () => {
    const [old, young] = [await ended(3 * HOUR), await ended(HOUR)];
    const running = await jobs.submit();
    await jobs.db.query(`UPDATE jobs SET time_completed = now() - interval '1 year' WHERE id = $1`, [running]);
    await sweeper.run();
    expect(await isDeleted(old)).toBe(false);
    await keep('results', 2 * HOUR);
    await sweeper.run();
    expect(await Promise.all([old, young, running].map(isDeleted))).toEqual([true, false, false]);
    await sweeper.run(inSeconds(2 * HOUR));
    expect(await Promise.all([young, running].map(isDeleted))).toEqual([true, false]);
  });

  it('computes the expiry of files that are there anew, a minute after a change', async () => {
    const jobId = await ended(0);
    const [old, young] = [await artifact(jobId, 3 * HOUR), await artifact(jobId, HOUR)];
    await keep('artifacts', 2 * HOUR);
    await sweeper.run();
    expect(await pendingChanges(jobs.db, jobs.workspaceId)).toEqual(['artifacts']);
    expect(await expiryOf(old)).toBeGreaterThan(Date.now());
    await sweeper.run(inSeconds(61));
    expect(await pendingChanges(jobs.db, jobs.workspaceId)).toEqual([]);
    expect(await expiryOf(old)).toBeNull();
    expect(await expiryOf(young)).toBeLessThan(inSeconds(HOUR + 60).getTime());
    await keep('artifacts', 30 * DAY);
    await sweeper.run(inSeconds(61));
    expect(await expiryOf(young)).toBeGreaterThan(inSeconds(29 * DAY).getTime());
  });

  it('moves the expiry of cached observations and media by the difference, once', async () => {
    const digest = 'b'.repeat(64);
    await media(digest);
    const expiries = async () =>
      (
        await jobs.db.query(
          `SELECT extract(epoch FROM time_expires - now())::float AS left FROM observations WHERE media_digest = $1
           UNION ALL SELECT extract(epoch FROM time_expires - now())::float FROM media WHERE digest = $1`,
          [digest],
        )
      ).map(({ left }: { left: number }) => Math.round(left / HOUR));
    expect(await expiries()).toEqual([7 * 24, 7 * 24]);
    await keep('observations', DAY);
    await sweeper.run(inSeconds(61));
    expect(await expiries()).toEqual([24, 24]);
    await keep('observations', DAY);
    await sweeper.run(inSeconds(61));
    expect(await expiries()).toEqual([24, 24]);
    // What is written afterwards carries the new value.
    await jobs.db.manager.delete(MediaEntity, { digest });
    await noteMedia(jobs.db, { workspaceId: jobs.workspaceId, digest, partOf: null, facts: filmFacts(), grid: [] });
    expect(await expiries()).toEqual([24, 24]);
  });

  it('goes on behind the last step when a process dies, and begins anew at a newer change', async () => {
    const jobId = await ended(0);
    const ids = [await artifact(jobId, 0)];
    await keep('artifacts', HOUR);
    await jobs.db.query(`UPDATE retention_changes SET position = '["0", "exports"]'`);
    await sweeper.run(inSeconds(61));
    expect(await expiryOf(ids[0] ?? '')).toBeGreaterThan(inSeconds(6 * DAY).getTime());
    await keep('artifacts', HOUR);
    await jobs.db.query(`UPDATE retention_changes SET position = '["0", "exports"]'`);
    await keep('artifacts', 2 * HOUR);
    await sweeper.run(inSeconds(61));
    expect(await expiryOf(ids[0] ?? '')).toBeLessThan(inSeconds(3 * HOUR).getTime());
  });

  it('removes faces that are over, but those of held jobs, and all of a workspace that keeps none any more', async () => {
    const { db, workspaceId } = jobs;
    const [free, held] = [await ended(0), await ended(0, 'case')];
    for (const jobId of [free, held]) {
      await inTransaction(db, (manager) =>
        keepFaces(manager, { jobId, workspaceId, network: 'n' }, [
          { seq: 0, embedding: [1, 0] },
          { seq: 1, embedding: [0, 1] },
        ]),
      );
    }
    await db.query(`UPDATE search_faces SET time_created = now() - interval '3 hours' WHERE seq = 0`);
    const left = async () =>
      (await db.query('SELECT job_id, seq FROM search_faces ORDER BY job_id = $1, seq', [held])).map(
        ({ job_id: jobId, seq }: { job_id: string; seq: number }) => [jobId === held ? 'held' : 'free', seq],
      );
    await hold('case');
    await keep('faces', 2 * HOUR);
    await sweeper.run();
    expect(await left()).toEqual([
      ['free', 1],
      ['held', 0],
      ['held', 1],
    ]);
    await hold();
    await sweeper.run();
    expect(await left()).toEqual([
      ['free', 1],
      ['held', 1],
    ]);
    await db.manager.update(WorkspaceEntity, { id: workspaceId }, { retention: {} });
    await sweeper.run(inSeconds(1));
    expect(await left()).toEqual([]);
  });

  it('deletes uploads that nothing needs', async () => {
    const [mined] = [await file('mined.mp4', 3 * HOUR), await file('old.mp4', 3 * HOUR), await file('young.mp4', 0)];
    await jobs.submit([`storage://${mined}`]);
    await sweeper.run();
    expect(await files()).toEqual(['mined.mp4', 'old.mp4', 'young.mp4']);
    await keep('uploads', 2 * HOUR);
    await sweeper.run();
    expect(await files()).toEqual(['mined.mp4', 'young.mp4']);
  });

  it('is that of the installation without a value of its own, and changes with its settings', async () => {
    const jobId = await ended(0);
    const id = await artifact(jobId, 0);
    await jobs.db.query(
      `INSERT INTO retention_defaults (kind, seconds) VALUES ('artifacts', ${DAY}) ON CONFLICT (kind) DO UPDATE SET seconds = ${DAY}`,
    );
    // The settings of this process say a week.
    await sweeper.run();
    expect((await installationValues(jobs.db)).artifacts).toBe(7 * DAY);
    expect(await pendingChanges(jobs.db, jobs.workspaceId)).toEqual(['artifacts']);
    await sweeper.run(inSeconds(61));
    expect(await expiryOf(id)).toBeGreaterThan(inSeconds(6 * DAY).getTime());
  });
});

describe('a legal hold', () => {
  /** @hardening privacy: What is under a legal hold is deleted */
  it('keeps jobs from their ttl and retention until it is lifted', async () => {
    const [held, free] = [await ended(3 * HOUR, 'case'), await ended(3 * HOUR, 'other')];
    const timed = await ended(3 * HOUR, 'case');
    await jobs.db.query(`UPDATE jobs SET time_expires = now() - interval '1 hour' WHERE id = $1`, [timed]);
    await hold('case');
    await keep('results', 2 * HOUR);
    await sweeper.run();
    await sweeper.expireJobs();
    expect(await Promise.all([held, timed, free].map(isDeleted))).toEqual([false, false, true]);
    await expect(jobs.commands.delete(jobs.workspaceId, held)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await jobs.commands.expireEndedBefore(held, new Date())).toBe(false);
    await hold();
    await sweeper.run();
    expect(await Promise.all([held, timed].map(isDeleted))).toEqual([true, true]);
  });

  /** @hardening privacy: What is under a legal hold is deleted */
  it('keeps files, cached media and uploads of a job, and clients go on finding them', async () => {
    const [digest, other] = ['c'.repeat(64), 'd'.repeat(64)];
    await media(digest);
    await media(other);
    const key = await file('film.mp4', 3 * DAY);
    const held = await ended(3 * DAY, 'case', [`storage://${key}`]);
    const free = await ended(3 * DAY);
    await jobs.db.query('UPDATE job_sources SET media_digest = $2 WHERE job_id = $1', [held, digest]);
    const [kept, gone] = [await artifact(held, 3 * DAY), await artifact(free, 3 * DAY)];
    await hold('case');
    await keep('uploads', DAY);
    const time = inSeconds(8 * DAY);
    await sweeper.run(time);
    expect([await known(digest), await known(other)]).toEqual([1, 0]);
    expect(await expiryOf(gone)).toBeNull();
    expect(await expiryOf(kept)).toBeGreaterThan(time.getTime());
    expect(await files()).toEqual(['film.mp4']);
    await hold();
    const later = inSeconds(10 * DAY);
    await sweeper.run(later);
    expect([await known(digest), await expiryOf(kept), await files()]).toEqual([0, null, []]);
  });

  it('lets files go some minutes after it is lifted, whenever they were put off', async () => {
    const jobId = await ended(8 * DAY, 'case');
    const id = await artifact(jobId, 8 * DAY);
    await hold('case');
    await sweeper.run();
    expect(await expiryOf(id)).toBeGreaterThan(inSeconds(23 * HOUR).getTime());
    await inTransaction(jobs.db, async (manager) => {
      await manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { heldTags: [] });
      await noteChanges(manager, jobs.workspaceId, ['artifacts']);
    });
    await sweeper.run(inSeconds(61));
    expect(await expiryOf(id)).toBeNull();
  });

  it('puts off files of jobs that run, and of exports, before their time is over', async () => {
    const running = await jobs.submit();
    await jobs.db.query(`UPDATE jobs SET tag = 'case' WHERE id = $1`, [running]);
    const id = await artifact(running, 7 * DAY - 60);
    const exported = await artifact(running, 7 * DAY - 60);
    const exportId = randomUUID();
    await jobs.db.manager.insert(ExportEntity, {
      ...{ id: exportId, workspaceId: jobs.workspaceId, strategy: 'job_results_export', config: {}, jobId: running },
    });
    await jobs.db.manager.update(ArtifactEntity, { id: exported }, { jobId: null, exportId });
    // Of a search, whose second job is held.
    const found = await artifact(running, 7 * DAY - 60);
    const foundIn = [await jobs.submit(), running];
    const ofSearch = randomUUID();
    await jobs.db.manager.insert(ExportEntity, {
      ...{ id: ofSearch, workspaceId: jobs.workspaceId, strategy: 'segments_export', config: {}, foundIn },
    });
    await jobs.db.manager.update(ArtifactEntity, { id: found }, { jobId: null, exportId: ofSearch });
    await hold('case');
    await sweeper.run();
    for (const one of [id, exported, found])
      expect(await expiryOf(one)).toBeGreaterThan(inSeconds(23 * HOUR).getTime());
  });

  it('is not met again in each pass', async () => {
    const held = await ended(3 * HOUR, 'case');
    const ids = await Promise.all(Array.from({ length: 3 }, () => artifact(held, 8 * DAY)));
    await hold('case');
    await keep('results', 2 * HOUR);
    const first = await queriesOf(() => sweeper.run());
    const second = await queriesOf(() => sweeper.run());
    expect(first.filter((sql) => sql.startsWith('UPDATE artifacts'))).toHaveLength(1);
    expect(second.filter((sql) => sql.startsWith('UPDATE artifacts'))).toEqual([]);
    for (const id of ids) expect(await expiryOf(id)).not.toBeNull();
    expect(await isDeleted(held)).toBe(false);
  });

  /** @hardening privacy: A deletion under way removes what was put under a legal hold meanwhile */
  it('waits for a deletion that did not see it', async () => {
    const jobId = await ended(0, 'case');
    const [, deleted] = await Promise.all([
      hold('case'),
      jobs.commands.delete(jobs.workspaceId, jobId).then(
        () => true,
        () => false,
      ),
    ]);
    expect(await isDeleted(jobId)).toBe(deleted);
    if (!deleted)
      await expect(jobs.commands.delete(jobs.workspaceId, jobId)).rejects.toThrow(/legal hold by the tag case/);
  });
});
