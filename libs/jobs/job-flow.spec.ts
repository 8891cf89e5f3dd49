/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import {
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  JobEntity,
  JobSourceEntity,
  ObservationEntity,
} from '@adit/database';
import type { OutboxRelay } from '@adit/outbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { mediaPrefix } from './keys.js';
import { LockedJob } from './state/locked-job.js';
import { failSource } from './chunks/source-plan.js';
import { cacheExpiry, faces, grid, JobsUnderTest } from './testing/jobs-under-test.js';

describe('a job in its store', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  it('has its first source opened once when it is submitted', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.settled();
    expect(jobs.bus.of('jobs.submitted', jobId)).toHaveLength(1);
    expect(jobs.bus.of('sources.requested', jobId).map(({ envelope }) => envelope.payload)).toEqual([
      { sourceIndex: 0 },
    ]);
    expect(await jobs.db.query('SELECT count(*)::int AS left FROM outbox')).toEqual([{ left: 0 }]);
  });

  it('has no more chunks in flight than its slots, and gives a slot back when one is done', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, 'a'.repeat(64));
    await jobs.settled();
    const requested = jobs.bus.of('chunks.requested', jobId);
    expect(requested).toHaveLength(2);
    const [first] = await jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } });
    expect(requested[0]!.envelope.payload).toEqual({ chunkId: first!.id });
    await jobs.db.manager.update(ChunkEntity, { id: first!.id }, { state: 'done' });
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toHaveLength(3);
  });

  it('gets each slot once, though two schedulers run at the same time', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, '7'.repeat(64));
    const giving = async (stayOpen: (manager: EntityManager) => Promise<void>): Promise<void> => {
      const outbox = Object.assign(Object.create(jobs.outbox) as OutboxRelay, {
        transaction: (work: (manager: EntityManager) => Promise<void>) =>
          jobs.outbox.transaction(async (manager) => {
            await work(manager);
            await stayOpen(manager);
          }),
      });
      const scheduler = jobs.newScheduler(outbox);
      scheduler.nudge();
      await scheduler.idle();
    };
    await jobs.beside(giving, () => jobs.settled());
    await jobs.settled();
    const asked = jobs.bus.of('chunks.requested', jobId).map(({ key, envelope }) => [key, envelope.payload]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toEqual(asked[1]);
  });

  it('keeps the changes of two processes at the same time', async () => {
    const jobId = await jobs.submit();
    const noting = (stayOpen: (manager: EntityManager) => Promise<void>) =>
      jobs.locked(jobId, async (job) => {
        await stayOpen(job.manager);
        await job.addErrors(['first']);
      });
    await jobs.beside(noting, () => jobs.locked(jobId, (job) => job.addErrors(['second'])));
    const { errors } = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(errors).toEqual(['first', 'second']);
  });

  it('has messages of a hundred sources with long addresses that can be sent', async () => {
    const sources = Array.from({ length: 100 }, (_, index) => `https://example.org/${index}${'ä'.repeat(2_000)}`);
    const order = jobs.order(sources);
    order.request.webhook = { callback: 'https://example.org/hook', events: ['job.on_failed'] };
    const jobId = (await jobs.commands.submit(order)).job.id;
    await jobs.locked(jobId, async (job) => {
      const reason = `the server answers 404 \u0000 ${'and more '.repeat(1_000)}`;
      for (let index = 0; index < sources.length; index += 1) await failSource(job.manager, job, index, reason);
      await job.apply({ kind: 'failed' });
    });
    await jobs.settled();
    const events = jobs.bus.of('events.raised', jobId).map(({ envelope }) => envelope.payload);
    expect(events).toContainEqual(expect.objectContaining({ event: 'job.on_failed' }));
    for (const event of events) expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(128 * 1024);
    const { errors } = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(errors[0]).toMatch(/^https:\/\/example\.org\/0ä+…: the server answers 404 .* more…$/);
    expect(errors.at(-1)).toBe('Further errors are left out.');
  });

  it('shares the global cap with other workspaces', async () => {
    const films = [await jobs.submit(), await jobs.submit()];
    await jobs.settled();
    for (const [index, jobId] of films.entries()) await jobs.openFilm(jobId, `b${index}`.padEnd(64, '0'));
    await jobs.settled();
    expect(films.flatMap((jobId) => jobs.bus.of('chunks.requested', jobId))).toHaveLength(3);
    await jobs.newWorkspace();
    const photos = [await jobs.submit(['storage://photo']), await jobs.submit(['storage://photo'])];
    const asked = (): number => photos.flatMap((photo) => jobs.bus.of('sources.requested', photo)).length;
    await jobs.settled();
    // One beyond the cap, since the workspace had nothing in flight.
    expect(asked()).toBe(1);
    await jobs.db.manager.update(ChunkEntity, { jobId: films[0]!, state: 'requested' }, { state: 'done' });
    await jobs.db.manager.update(ChunkEntity, { jobId: films[0]!, state: 'planned' }, { state: 'done' });
    await jobs.db.manager.update(ChunkEntity, { jobId: films[1]!, state: 'planned' }, { state: 'done' });
    await jobs.settled();
    expect(asked()).toBe(2);
  });

  it('has known media planned as done', async () => {
    const mediaDigest = 'c'.repeat(64);
    await jobs.knowFilm(mediaDigest, 'one');
    for (const { frameStart, frameEnd } of grid) {
      await jobs.db.manager.insert(ObservationEntity, {
        workspaceId: jobs.workspaceId,
        mediaDigest,
        interval: `${frameStart}-${frameEnd}`,
        analysisDigest: faces.digest,
        objectKey: `${mediaPrefix(jobs.workspaceId, mediaDigest, 'one')}${frameStart}/observations.json`,
        timeExpires: cacheExpiry(),
      });
    }
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, mediaDigest);
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toHaveLength(0);
    expect(jobs.bus.of('sources.planned', jobId)).toHaveLength(1);
    const states = (await jobs.db.manager.findBy(ChunkAnalysisEntity, { jobId })).map((row) => row.state);
    expect(states).toEqual(['done', 'done', 'done', 'done']);
    expect((await jobs.db.manager.findOneByOrFail(FoldEntity, { jobId })).chunkIds).toHaveLength(4);
  });

  it('has the work of a dead process dispatched again', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    expect(jobs.bus.of('sources.requested', jobId)).toHaveLength(1);
    await jobs.reconciler.run();
    expect(jobs.bus.of('sources.requested', jobId)).toHaveLength(1);
    await jobs.reconciler.recover();
    await jobs.settled();
    expect(jobs.bus.of('sources.requested', jobId)).toHaveLength(2);
  });

  it('is retried from where it was stopped', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, 'e'.repeat(64));
    await jobs.settled();
    const [done] = await jobs.db.manager.findBy(ChunkEntity, { jobId, position: 0 });
    await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId: done!.id }, { state: 'done' });
    await jobs.db.manager.update(ChunkEntity, { id: done!.id }, { state: 'done' });
    await jobs.commands.stop(jobs.workspaceId, jobId);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    const states = (await jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } })).map(
      (chunk) => chunk.state,
    );
    expect(states).toEqual(['done', 'planned', 'planned', 'planned']);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).state).toBe('waiting');
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId).length).toBeGreaterThan(2);
  });

  it('leaves a tombstone when it is deleted, and is hidden from other workspaces', async () => {
    const jobId = await jobs.submit();
    await expect(jobs.commands.delete(randomUUID(), jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await jobs.commands.delete(jobs.workspaceId, jobId);
    await expect(jobs.commands.delete(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await jobs.db.manager.countBy(JobSourceEntity, { jobId })).toBe(0);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).timeDeleted).not.toBeNull();
    expect(await jobs.outbox.transaction((manager) => LockedJob.take(manager, jobId))).toBeNull();
  });

  it('keeps one error of a kind and raises the events of a module’s end in order', async () => {
    const jobId = await jobs.submit();
    await jobs.locked(jobId, async (job) => {
      await job.apply({ kind: 'opened' });
      await job.failModule('face_recognition', 'no weights');
      await job.failModule('face_recognition', 'no weights');
      await job.apply({ kind: 'finished' });
    });
    await jobs.settled();
    const job = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(job).toMatchObject({ state: 'failed', errors: ['face_recognition: no weights'] });
    const events = jobs.bus
      .of('events.raised', jobId)
      .map(({ envelope }) => (envelope.payload as { event: string }).event);
    expect(events).toEqual([
      'job.on_started',
      'job.face_recognition.on_started',
      'job.face_recognition.on_failed',
      'job.on_failed',
    ]);
  });

  it('names the errors of the first hundred sources and says that there are more', async () => {
    const jobId = await jobs.submit();
    for (const from of [0, 60, 120]) {
      await jobs.locked(jobId, (job) =>
        job.addErrors(Array.from({ length: 60 }, (_, index) => `source ${from + index}`)),
      );
    }
    const { errors } = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(errors).toHaveLength(100);
    expect(errors.at(-1)).toBe('Further errors are left out.');
  });
});
