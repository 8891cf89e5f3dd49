import { JobEntity, JobEventEntity, SegmentEntity } from '@adit/database';
import { failSource, LockedJob, refusalOf, refuseSource, reopenUnplanned } from '@adit/jobs';
import { presentJob, shownColumns, type ShownRow } from '@adit/presentation';
import { configureLogging } from '@adit/runtime';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { countingModule, FoldingJobs } from '../testing/folding-jobs.js';

const MAX_STATEMENTS = 12;

describe('folding an analysed chunk', () => {
  let jobs: FoldingJobs;

  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  async function begun(modules: number, chunks: number): Promise<{ jobId: string; ids: string[] }> {
    jobs = await FoldingJobs.start(Array.from({ length: modules }, (_, at) => countingModule(`module_${at}`)));
    const jobId = await jobs.submit(['storage://film']);
    await jobs.plan(jobId, { chunks });
    await jobs.outbox.idle();
    return { jobId, ids: await jobs.chunkIds(jobId) };
  }

  async function takeIn(jobId: string, chunkId: string): Promise<string[]> {
    await jobs.analysed(jobId, chunkId, {});
    // The spec itself reads the chunk's sources.
    // Publishing progress later is the spec's own too; it would fall among the counted statements.
    await jobs.pace.onApplicationShutdown();
    jobs.statements = [];
    await jobs.chunks.record(jobId, { chunkId, analysisDigest: 'd'.repeat(64), units: [], error: null });
    await jobs.jobs.advance(jobId);
    // Statements of the relay are not counted.
    return jobs.statements.filter((sql) => !/FROM "?outbox/i.test(sql));
  }

  /** @hardening scale: A chunk takes a transaction for each module */
  it.each([1, 12])('takes twelve statements at most, with %i modules', async (modules) => {
    const { jobId, ids } = await begun(modules, 4);
    for (const id of ids.slice(0, 2)) {
      const statements = await takeIn(jobId, id);
      expect({ statements, few: statements.length <= MAX_STATEMENTS }).toMatchObject({ few: true });
    }
    expect(await jobs.db.manager.countBy(SegmentEntity, { jobId })).toBe(2 * modules);
  });

  it('gives the fold the frames per second that its film is analysed at, the lowest of several', async () => {
    const rates: (number | undefined)[] = [];
    const module = countingModule('module_0');
    const open: typeof module.open = async (...opened) => {
      const fold = await module.open(...opened);
      return { ...fold, fold: (state, input, context) => (rates.push(context.rate), fold.fold(state, input, context)) };
    };
    jobs = await FoldingJobs.start([{ ...module, open }]);
    for (const rates of [[2, 0.2], []]) {
      const jobId = await jobs.submit(['storage://film'], rates);
      await jobs.plan(jobId, { chunks: 1 });
      await jobs.outbox.idle();
      const [id = ''] = await jobs.chunkIds(jobId);
      await jobs.analysed(jobId, id, {});
      await jobs.advance(jobId);
    }
    expect(rates).toEqual([0.2, undefined]);
  });

  it('publishes progress at once, then no more than every half second, and loses none', async () => {
    const { jobId, ids } = await begun(2, 40);
    const before = performance.now();
    for (const id of ids.slice(0, 30)) {
      await jobs.analysed(jobId, id, {});
      await jobs.advance(jobId);
    }
    const told = await jobs.events(jobId, 'job.on_progress');
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - before) / 500));
    const last = async () => {
      const all = await jobs.events(jobId, 'job.on_progress');
      return (all.at(-1)!.envelope.payload as unknown as { data: { progress: number } }).data.progress;
    };
    while ((await last()) < 0.75) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await last()).toBeCloseTo(0.75);
  });

  /** @hardening api: Progress stands still, or goes back */
  it('shows a film of two chunks progress with their pictures, and never back', async () => {
    const { jobId, ids } = await begun(2, 2);
    const seen: number[] = [];
    const snapshot = async () => {
      const [row]: ShownRow[] = await jobs.db.query(`SELECT ${shownColumns('whole')} FROM jobs j WHERE j.id = $1`, [
        jobId,
      ]);
      const { progress, modules } = presentJob(row!, row!.modules, '');
      for (const module of Object.values(modules)) expect(module.progress).toBeCloseTo(progress);
      seen.push(progress);
    };
    const runs = (at: number, progress: number) =>
      jobs.db.query(
        `UPDATE chunk_analyses SET state = 'requested', running_until = now(), progress = $2 WHERE chunk_id = $1`,
        [ids[at], progress],
      );
    await snapshot();
    await runs(0, 0.5);
    await snapshot();
    await runs(1, 0.25);
    await snapshot();
    // The second chunk is done before the first: it waits.
    await jobs.analysed(jobId, ids[1]!, {});
    await jobs.advance(jobId);
    await snapshot();
    await runs(0, 0.75);
    await snapshot();
    await jobs.analysed(jobId, ids[0]!, {});
    await snapshot();
    await jobs.advance(jobId);
    await snapshot();
    expect(seen.map((progress) => Number(progress.toFixed(3)))).toEqual([0, 0.25, 0.375, 0.75, 0.875, 0.99, 1]);
  });

  it('publishes the pictures of a running chunk with the progress of others', async () => {
    const { jobId, ids } = await begun(2, 4);
    await jobs.db.query(
      `UPDATE chunk_analyses SET state = 'requested', running_until = now(), progress = 0.5 WHERE chunk_id = $1`,
      [ids[1]],
    );
    await jobs.analysed(jobId, ids[0]!, {});
    await jobs.advance(jobId);
    const [told] = await jobs.events(jobId, 'job.on_progress');
    expect(told!.envelope.payload).toMatchObject({ data: { progress: 0.375, modules: { module_0: 0.375 } } });
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({ progress: 0.25 });
  });

  it('publishes the progress of a film of one chunk once, however many processes see it', async () => {
    const { jobId, ids } = await begun(2, 1);
    const other = jobs.newPace();
    const told = async () =>
      (await jobs.db.manager.find(JobEventEntity, { where: { jobId }, order: { id: 'ASC' } }))
        .filter(({ event }) => event === 'job.on_progress')
        .map(({ data }) => data['progress']);
    const parts = [0.25, 0.5, 0.75];
    for (const [at, part] of parts.entries()) {
      await jobs.db.query(
        `UPDATE chunk_analyses SET state = 'requested', running_until = now(), lease_until = now(), progress = $2
          WHERE chunk_id = $1`,
        [ids[0], part],
      );
      await Promise.all([jobs.pace.publishMoved(), other.publishMoved()]);
      while ((await told()).length <= at) await new Promise((resolve) => setTimeout(resolve, 50));
      await Promise.all([jobs.pace.publishMoved(), other.publishMoved()]);
    }
    await other.onApplicationShutdown();
    expect(await told()).toEqual(parts);
    await jobs.analysed(jobId, ids[0]!, {});
    await jobs.advance(jobId);
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({ progress: 1 });
  });

  it('publishes no progress between the end of the last module and that of the job', async () => {
    const { jobId, ids } = await begun(2, 2);
    await jobs.analysed(jobId, ids[0]!, {});
    await jobs.advance(jobId);
    await jobs.analysed(jobId, ids[1]!, {});
    // The folds of the last chunk come within the pause, and artifacts take longer than it.
    const locked = await jobs.outbox.transaction(async (manager) => {
      const job = (await LockedJob.take(manager, jobId))!;
      for (const module of job.modules) {
        job.setProgress(module, 1);
        await jobs.pace.note(job);
      }
      for (const { moduleId } of job.modules) await job.apply({ kind: 'module-completed', module: moduleId });
      return job;
    });
    expect(locked.isActive).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 700));
    const events = await jobs.db.manager.find(JobEventEntity, { where: { jobId }, order: { id: 'ASC' } });
    expect(events.map(({ event }) => event).slice(-3)).toEqual([
      'job.on_progress',
      'job.module_0.on_completed',
      'job.module_1.on_completed',
    ]);
  });

  it('fails a module that took none of the sources, and completes the others', async () => {
    const { jobId, ids } = await begun(2, 1);
    await jobs.outbox.transaction(async (manager) => {
      // A decoder that opens a film writes this plan.
      await manager.query(`DELETE FROM folds WHERE job_id = $1 AND module_id = 'module_1'`, [jobId]);
      const job = (await LockedJob.take(manager, jobId))!;
      const refusing = job.modules.filter(({ moduleId }) => moduleId === 'module_1');
      for (const module of refusing) module.media = ['image'];
      const refusals = refusing.map((module) => ({ module, reason: refusalOf(module, 'video') }));
      await refuseSource(job, { index: 0, uri: 'storage://film' }, refusals);
    });
    await jobs.analysed(jobId, ids[0]!, {});
    await jobs.advance(jobId);
    const states: unknown[] = await jobs.db.query(
      'SELECT state, error FROM job_modules WHERE job_id = $1 ORDER BY position',
      [jobId],
    );
    expect(states).toEqual([
      { state: 'completed', error: null },
      { state: 'failed', error: 'no source of the job is of a kind that it takes' },
    ]);
    expect(await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).toMatchObject({
      state: 'completed',
      errors: ['storage://film: module_1 takes images, not video'],
    });
  });

  it('keeps the order whatever comes first, and ends the job with its last chunk', async () => {
    const { jobId, ids } = await begun(3, 20);
    for (const id of [...ids].reverse()) await jobs.analysed(jobId, id, {});
    await jobs.advance(jobId);
    const job = await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(job).toMatchObject({ state: 'completed', progress: 1, segmentCount: 60 });
    const segments = await jobs.db.manager.find(SegmentEntity, {
      where: { jobId, moduleId: 'module_1' },
      order: { moduleSeq: 'ASC' },
    });
    expect(segments.map(({ label }) => label)).toEqual(Array.from({ length: 20 }, (_, at) => `unit ${at}`));
  });
});

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
