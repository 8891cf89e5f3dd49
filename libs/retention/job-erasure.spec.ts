/** @needs ffmpeg */
import { AditError } from '@adit/contracts';
import { JobEntity, MediaEntity, ObjectRemovalEntity, ObservationEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  JobCommands,
  jobPrefix,
  mediaGenerations,
  mediaPrefix,
  observationPrefix,
  packsPrefix,
  rememberedObservations,
} from '@adit/jobs';
import { cacheExpiry, faces, grid, JobsUnderTest } from '@adit/jobs/testing';
import type { Sweeper } from './sweeper.js';
import { sweeperOf } from './testing/sweeper-of.js';

const digest = 'a'.repeat(64);
const unit = { sourceIndex: 0, mediaDigest: digest, facts: filmFacts(), kind: 'video' as const, interval: grid[0]! };
const HOUR = 3_600_000;

describe('erasing a job', () => {
  let jobs: JobsUnderTest;
  let sweeper: Sweeper;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    sweeper = sweeperOf(jobs);
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  const exists = async (key: string): Promise<boolean> => (await jobs.objects.stat(key)) !== null;
  /** Submits a job that has analysed a chunk of a film with the folder `generation`; returns its observations' key. */
  const analysedJob = async (generation: string): Promise<{ jobId: string; key: string }> => {
    const { workspaceId } = jobs;
    const jobId = await jobs.submit();
    await jobs.settled();
    const media = { workspaceId, digest, facts: filmFacts(), grid: [], indexKey: null, timeExpires: cacheExpiry() };
    await jobs.db.manager.upsert(MediaEntity, { ...media, generation }, ['workspaceId', 'digest']);
    await jobs.openFilm(jobId, digest);
    const key = `${observationPrefix({ id: jobId, workspaceId }, unit, faces.digest, generation)}observations.json`;
    await jobs.objects.put(key, Buffer.from('{}'));
    await remember(key);
    return { jobId, key };
  };
  const remember = async (observations: string): Promise<void> => {
    const outcomes = [{ sourceIndex: 0, observations, error: null }];
    await jobs.outbox.statement(...rememberedObservations(jobs.workspaceId, faces.digest, { units: [unit], outcomes }));
  };
  const known = () => jobs.db.manager.countBy(ObservationEntity, { workspaceId: jobs.workspaceId });
  const deaf = (): ObjectStore =>
    Object.assign(Object.create(jobs.objects) as ObjectStore, {
      deletePrefix: () => Promise.reject(new AditError('UNAVAILABLE', 'The object store does not answer.')),
    });

  /** @hardening privacy: An erasure ends in a crash, or races with a job */
  it('removes its objects, also when the process dies, or the store is unavailable, before it could', async () => {
    const { jobId, key } = await analysedJob('one');
    const picture = `${jobPrefix(jobId)}pictures/face.jpg`;
    await jobs.objects.put(picture, Buffer.from('a face'));
    await new JobCommands(jobs.outbox, deaf()).delete(jobs.workspaceId, jobId);
    expect(await known()).toBe(0);
    expect([await exists(key), await exists(picture)]).toEqual([true, true]);
    await sweeper.run(new Date(Date.now() + 120_000));
    expect([await exists(key), await exists(picture)]).toEqual([false, false]);
    // Objects that work in flight wrote meanwhile are removed in a second round, and nothing is left to do.
    await jobs.objects.put(picture, Buffer.from('a face'));
    await sweeper.run(new Date(Date.now() + 2 * HOUR));
    expect(await exists(picture)).toBe(false);
    expect(await jobs.db.manager.countBy(ObjectRemovalEntity, { prefix: jobPrefix(jobId) })).toBe(0);
  });

  it('leaves no result in the tombstone, which drops work in flight', async () => {
    const { jobId } = await analysedJob('one');
    const items = [{ type: 'face', label: 'Ada', module: 'face_recognition' }];
    const summary = [{ source: 'storage://a', media_type: 'image' as const, info: {}, items }];
    await jobs.db.manager.update(JobEntity, { id: jobId }, { summary, errors: ['storage://a: Ada'] });
    await jobs.commands.delete(jobs.workspaceId, jobId);
    const [row] = await jobs.db.query('SELECT to_jsonb(j)::text AS row FROM jobs j WHERE id = $1', [jobId]);
    expect(row.row).not.toContain('Ada');
  });

  it('removes within minutes objects that a process wrote before it died', async () => {
    const { jobId } = await analysedJob('one');
    await jobs.commands.delete(jobs.workspaceId, jobId);
    const pack = `${packsPrefix(jobId)}chunk/0/native`;
    await jobs.objects.put(pack, Buffer.from('frames'));
    await sweeper.run(new Date(Date.now() + 120_000));
    expect(await exists(pack)).toBe(false);
  });

  it('never touches objects of a later job with the same film', async () => {
    const { jobId } = await analysedJob('one');
    await new JobCommands(jobs.outbox, deaf()).delete(jobs.workspaceId, jobId);
    const later = await analysedJob('two');
    await sweeper.run(new Date(Date.now() + 120_000));
    await sweeper.run(new Date(Date.now() + 2 * HOUR));
    expect(await exists(later.key)).toBe(true);
    expect(await known()).toBe(1);
  });

  it('is not undone by an analysis that ends after it', async () => {
    const { jobId, key } = await analysedJob('one');
    await jobs.commands.delete(jobs.workspaceId, jobId);
    await remember(key);
    expect(await known()).toBe(0);
    expect(await mediaGenerations(jobs.db.manager, jobs.workspaceId, [digest])).toEqual(new Map());
    // The same holds when the film became known again meanwhile.
    await analysedJob('two');
    await jobs.db.manager.delete(ObservationEntity, { workspaceId: jobs.workspaceId });
    await remember(key);
    expect(await known()).toBe(0);
  });

  it('by expiry removes what has expired and nothing that was made anew', async () => {
    const { jobId, key } = await analysedJob('one');
    await jobs.commands.stop(jobs.workspaceId, jobId);
    const tomorrow = new Date(Date.now() + 24 * HOUR);
    const index = `${mediaPrefix(jobs.workspaceId, digest, 'one')}frame-index`;
    await jobs.objects.put(index, Buffer.from('an index'));
    await jobs.db.manager.update(MediaEntity, { workspaceId: jobs.workspaceId }, { timeExpires: new Date() });
    await sweeper.run(tomorrow);
    // Its observations are in its folder.
    expect([await exists(key), await exists(index)]).toEqual([true, true]);
    await jobs.db.manager.update(ObservationEntity, { workspaceId: jobs.workspaceId }, { timeExpires: new Date() });
    await sweeper.run(tomorrow);
    expect([await exists(key), await exists(index), await known()]).toEqual([false, false, 0]);
  });

  it('leaves no packs of an ended job, and takes none from one that runs again', async () => {
    const { jobId } = await analysedJob('one');
    const pack = `${packsPrefix(jobId)}chunk/0/native`;
    await new JobCommands(jobs.outbox, deaf()).stop(jobs.workspaceId, jobId);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    await jobs.objects.put(pack, Buffer.from('frames'));
    await sweeper.run(new Date(Date.now() + 120_000));
    expect(await exists(pack)).toBe(true);
    await jobs.locked(jobId, (job) => job.apply({ kind: 'failed' }));
    await sweeper.run(new Date(Date.now() + 120_000));
    expect(await exists(pack)).toBe(false);
  });
});
