import { setTimeout as sleep } from 'node:timers/promises';
import { JobEntity, SegmentEntity } from '@adit/database';
import { failSource, LockedJob, reopenUnplanned } from '@adit/jobs';
import { InstallationLease } from '@adit/leases';
import { afterEach, describe, expect, it } from '@jest/globals';
import { countingModule, FoldingJobs } from '../testing/folding-jobs.js';

describe('a job', () => {
  let jobs: FoldingJobs;
  afterEach(() => jobs.close());

  /** @hardening jobs: A retry completes films that were never analysed */
  it('does not complete without a film that was planned while one of its modules had failed', async () => {
    jobs = await FoldingJobs.start([countingModule('good'), countingModule('bad')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 1 });
    // The module had failed before, and runs again.
    await jobs.db.query(`DELETE FROM folds WHERE job_id = $1 AND module_id = 'bad'`, [jobId]);
    for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    const states = async () =>
      (
        await jobs.db.query(
          `SELECT j.state, (SELECT jsonb_object_agg(module_id, state) FROM job_modules WHERE job_id = j.id) AS modules,
                (SELECT state FROM job_sources WHERE job_id = j.id) AS source FROM jobs j WHERE id = $1`,
          [jobId],
        )
      )[0] as unknown;
    const running = { good: 'processing', bad: 'processing' };
    expect(await states()).toEqual({ state: 'processing', modules: running, source: 'waiting' });
    await jobs.plan(jobId, { chunks: 1 });
    for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    expect(await states()).toMatchObject({ state: 'completed', modules: { good: 'completed', bad: 'completed' } });
  });

  it('keeps a film for the modules that read it when it is opened again for another module, and refused then', async () => {
    jobs = await FoldingJobs.start([countingModule('good'), countingModule('bad')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 2 });
    const [first, second] = await jobs.chunkIds(jobId);
    await jobs.analysed(jobId, first!, {});
    await jobs.db.query(`DELETE FROM folds WHERE job_id = $1 AND module_id = 'bad'`, [jobId]);
    await jobs.outbox.transaction(async (manager) => {
      expect(await reopenUnplanned(manager, jobId)).toBe(true);
      await failSource(manager, (await LockedJob.take(manager, jobId))!, 0, 'its server is asleep');
    });
    await jobs.analysed(jobId, second!, {});
    await jobs.advance(jobId);
    expect(await jobs.states(jobId)).toEqual({ good: 'completed', bad: 'failed' });
    expect(await jobs.db.manager.countBy(SegmentEntity, { jobId, moduleId: 'good' })).toBe(2);
  });

  /** @hardening jobs: One job that fails stops those after it */
  it('is advanced whatever is wrong with the one before it', async () => {
    jobs = await FoldingJobs.start([countingModule('one')]);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const jobId = await jobs.submit([`storage://film-${at}`]);
      await jobs.plan(jobId, { chunks: 1 });
      for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
      ids.push(jobId);
    }
    // Its rows cannot even be read.
    await jobs.db.query(`UPDATE folds SET chunk_ids = '["no id"]' WHERE job_id = $1`, [ids[0]]);
    await jobs.jobs.advanceAll();
    await jobs.endings.idle();
    const rows = await jobs.db.query('SELECT id, state FROM jobs');
    const states = new Map(rows.map(({ id, state }: { id: string; state: string }) => [id, state]));
    expect(ids.map((id) => states.get(id))).toEqual(['processing', 'completed', 'completed']);
  });

  describe('that hangs', () => {
    /** Two jobs that could be advanced, in a round that hangs at the first of them until `goOn`. */
    const hanging = async () => {
      let goOn = () => {};
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      let opened = 0;
      const one = countingModule('one');
      const open: typeof one.open = async (...given) => {
        opened += 1;
        await gate;
        return one.open(...given);
      };
      jobs = await FoldingJobs.start([{ ...one, open }]);
      for (const source of ['storage://one', 'storage://other']) {
        const jobId = await jobs.submit([source]);
        await jobs.plan(jobId, { chunks: 1 });
        for (const id of await jobs.chunkIds(jobId)) await jobs.analysed(jobId, id, {});
      }
      const round = jobs.jobs.advanceAllAlone();
      while (opened === 0) await sleep(20);
      return { round, goOn };
    };

    /** @hardening jobs: A job that hangs stops the rescue of all others */
    it('leaves the others to another process', async () => {
      const { round, goOn } = await hanging();
      await jobs.db.query(`UPDATE leases SET lease_until = now() WHERE name = 'job-advance'`);
      // As the timer does: it begins no second round, which would renew the lease.
      expect(jobs.jobs.advanceAllAlone()).toBe(round);
      expect(await new InstallationLease(jobs.db, 'job-advance', 90).take()).toBe(true);
      goOn();
      await round;
      await jobs.endings.idle();
    });

    it('leaves the others to another process at once when its own ends', async () => {
      const { round, goOn } = await hanging();
      await jobs.jobs.release();
      expect(await jobs.db.query(`SELECT 1 FROM leases WHERE name = 'job-advance'`)).toEqual([]);
      goOn();
      await round;
      await jobs.endings.idle();
      // It neither took the lease again nor began another job.
      expect(await jobs.db.query(`SELECT 1 FROM leases WHERE name = 'job-advance'`)).toEqual([]);
      expect(await jobs.db.query('SELECT state FROM jobs ORDER BY state')).toEqual([
        { state: 'completed' },
        { state: 'processing' },
      ]);
    });
  });

  /** @hardening media: One damaged chunk fails the job */
  it('loses the frames of a chunk that was given up, names source and times, and keeps the rest', async () => {
    jobs = await FoldingJobs.start([countingModule('one')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 3 });
    const ids = await jobs.chunkIds(jobId);
    await jobs.lost(jobId, ids[1]!, 'its pictures are damaged');
    for (const id of [ids[0]!, ids[2]!]) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({
      ...{ state: 'completed', segmentCount: 2 },
      errors: ['storage://film: 1.0–2.0 s could not be decoded: its pictures are damaged'],
    });
    expect(await jobs.states(jobId)).toEqual({ one: 'completed' });
  });

  it('fails a module that lost all of its chunks', async () => {
    jobs = await FoldingJobs.start([countingModule('one')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 2 });
    for (const id of await jobs.chunkIds(jobId)) await jobs.lost(jobId, id, 'its pictures are damaged');
    await jobs.advance(jobId);
    const job = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect({ state: job.state, errors: job.errors }).toEqual({
      state: 'failed',
      errors: ['storage://film: 0.0–2.0 s (2 chunks) could not be decoded: its pictures are damaged'],
    });
    expect(await jobs.states(jobId)).toEqual({ one: 'failed' });
  });

  it('has one error for all chunks of a film that the same cause cost, with their intervals', async () => {
    jobs = await FoldingJobs.start([countingModule('one'), countingModule('two')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 30 });
    const ids = await jobs.chunkIds(jobId);
    const lost = [0, 1, 2, 5, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27];
    for (const at of [...lost].reverse()) await jobs.lost(jobId, ids[at]!, 'its pictures are damaged');
    await jobs.lost(jobId, ids[29]!, 'another reason');
    const { errors } = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    const intervals = [5, 9, 11, 13, 15, 17, 19, 21, 23].map((at) => `${at}.0–${at + 1}.0 s`);
    expect(errors).toEqual([
      `storage://film: 0.0–3.0 s, ${intervals.join(', ')} and 2 more (14 chunks) could not be decoded: its pictures are damaged`,
      'storage://film: 29.0–30.0 s could not be decoded: another reason',
    ]);
  });

  it('ends a module at once, with one error, when a failure concerns every chunk', async () => {
    jobs = await FoldingJobs.start([countingModule('one'), countingModule('two')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 40 });
    const [chunkId] = await jobs.chunkIds(jobId);
    const gone = { chunkId: chunkId!, analysisDigest: 'd'.repeat(64), units: null, error: 'the model has gone' };
    await jobs.chunks.record(jobId, { ...gone, everyChunk: true });
    await jobs.advance(jobId);
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({
      ...{ state: 'failed', errors: ['one: the model has gone', 'two: the model has gone'] },
    });
    expect(await jobs.states(jobId)).toEqual({ one: 'failed', two: 'failed' });
  });

  it('does not go on without a chunk that a retry has analysed again meanwhile', async () => {
    let meanwhile = () => Promise.resolve();
    const one = countingModule('one');
    const open: typeof one.open = async (...given) => {
      await meanwhile();
      return one.open(...given);
    };
    jobs = await FoldingJobs.start([{ ...one, open }]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 2 });
    const [first, second] = await jobs.chunkIds(jobId);
    await jobs.lost(jobId, first!, 'its pictures are damaged');
    let retried = 0;
    meanwhile = async () => {
      retried += 1;
      await jobs.commands.stop(jobs.workspaceId, jobId);
      await jobs.commands.retry(jobs.workspaceId, jobId);
    };
    // The fold found the chunk lost, and folds without it.
    await jobs.advance(jobId);
    expect(retried).toBe(1);
    for (const id of [second!, first!]) {
      await jobs.analysed(jobId, id, {});
      await jobs.advance(jobId);
    }
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({
      ...{ state: 'completed', segmentCount: 2 },
    });
  });

  /** @hardening jobs: A frame index or observations expire under running jobs */
  it('has a chunk analysed again whose observations are missing', async () => {
    jobs = await FoldingJobs.start([countingModule('one'), countingModule('two')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 2 });
    const [first, second] = await jobs.chunkIds(jobId);
    for (const id of [first!, second!]) await jobs.analysed(jobId, id, {});
    await jobs.objects.delete(`observations/${first!}`);
    await jobs.advance(jobId);
    const state = async () =>
      (
        await jobs.db.query(
          `SELECT c.state AS chunk, a.state AS analysis, a.attempts, j.state AS job
           FROM chunks c JOIN chunk_analyses a ON a.chunk_id = c.id JOIN jobs j ON j.id = c.job_id WHERE c.id = $1`,
          [first],
        )
      )[0] as unknown;
    expect(await state()).toEqual({ chunk: 'planned', analysis: 'waiting', attempts: 0, job: 'processing' });
    await jobs.analysed(jobId, first!, {});
    await jobs.advance(jobId);
    expect(await state()).toMatchObject({ job: 'completed' });
    expect(await jobs.db.manager.countBy(SegmentEntity, { jobId })).toBe(4);
  });

  it('keeps the results of a chunk that is analysed again when its folds are rebuilt', async () => {
    jobs = await FoldingJobs.start([countingModule('one')]);
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks: 3 });
    const [first, second, third] = (await jobs.chunkIds(jobId)) as [string, string, string];
    await jobs.analysed(jobId, first, {});
    await jobs.advance(jobId);
    // Another version of the module stored this state.
    await jobs.db.query(`UPDATE folds SET state = '{}' WHERE job_id = $1`, [jobId]);
    await jobs.db.query(`UPDATE chunk_analyses SET state = 'waiting', units = NULL WHERE chunk_id = $1`, [first]);
    await jobs.analysed(jobId, second, {});
    await jobs.advance(jobId);
    expect(await jobs.db.manager.countBy(SegmentEntity, { jobId })).toBe(1);
    for (const id of [first, third]) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    const segments = await jobs.db.manager.find(SegmentEntity, { where: { jobId }, order: { moduleSeq: 'ASC' } });
    expect(segments.map(({ label }) => label)).toEqual(['unit 0', 'unit 1', 'unit 2']);
    expect(await jobs.states(jobId)).toEqual({ one: 'completed' });
  });
});
