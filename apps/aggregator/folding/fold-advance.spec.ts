import { JobEntity, JobEventEntity, SegmentEntity } from '@adit/database';
import { LockedJob, refusalOf, refuseSource } from '@adit/jobs';
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
  it('shows the progress of a film of two chunks with their pictures, and never goes back', async () => {
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

  it('keeps the order of the chunks, whichever comes first, and ends the job with its last chunk', async () => {
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
