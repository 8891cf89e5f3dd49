/** @needs ffmpeg */
import type { FrameInterval } from '@adit/contracts';
import { ChunkAnalysisEntity, ChunkEntity, FoldEntity, JobSourceEntity } from '@adit/database';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import { imagesPerChunk, planChunks, writePlan } from './chunk-plan.js';
import { CHUNKS_PER_PAGE } from './chunk-states.js';
import { faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';

const MODULES = { face_recognition: faces, object_scene_recognition: things };
type Transaction = JobsUnderTest['outbox']['transaction'];

const spansOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const pts = { ptsStart: at * 10, ptsEnd: (at + 1) * 10, seekPts: at * 10 };
    const interval = { frameStart: at, frameEnd: at + 1, ...pts };
    return { sourceStart: 0, sourceEnd: 1, extent: { kind: 'video' as const, interval } };
  });

describe('the plan of a long film', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  /** Inserts a job whose film is being opened. */
  const submit = async (): Promise<string> => {
    const { id } = (await jobs.commands.submit(jobs.order(['storage://film'], null, MODULES))).job;
    await jobs.settled();
    return id;
  };
  /** Plans as a decoder does, its transactions run by `transaction`. */
  const plan = (jobId: string, count: number, transaction: Transaction = (work) => jobs.outbox.transaction(work)) =>
    writePlan({ transaction }, jobId, async (manager, job) => {
      if (!(await manager.existsBy(JobSourceEntity, { jobId, index: 0, state: 'requested' }))) return null;
      await job.apply({ kind: 'opened' });
      const wanted = job.activeModules.map(({ moduleId }) => ({ moduleId, spans: spansOf(count) }));
      return planChunks(manager, job, 0, { digest: 'a'.repeat(64), facts: filmFacts() }, wanted);
    });
  /** Lets the process die before its next transaction, after so many have committed. */
  const cutAfter = (jobId: string, count: number, pages: number): Promise<void> => {
    let begun = 0;
    const dying: Transaction = (work) =>
      begun++ < pages ? jobs.outbox.transaction(work) : Promise.reject(new Error('the process died'));
    return expect(plan(jobId, count, dying)).rejects.toThrow('the process died');
  };
  const count = (entity: typeof ChunkEntity | typeof ChunkAnalysisEntity | typeof FoldEntity, jobId: string) =>
    jobs.db.manager.countBy<ChunkEntity>(entity as typeof ChunkEntity, { jobId });
  const sourceOf = (jobId: string) => jobs.db.manager.findOneByOrFail(JobSourceEntity, { jobId, index: 0 });
  const expectWhole = async (jobId: string, wanted: number): Promise<void> => {
    const chunks = await jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } });
    expect(chunks.map(({ interval }) => (interval as FrameInterval).frameStart).join()).toBe(
      [...Array(wanted).keys()].join(),
    );
    expect(chunks.filter(({ state }) => state === 'drafted')).toHaveLength(0);
    expect(await count(ChunkAnalysisEntity, jobId)).toBe(wanted * 2);
    const folds = await jobs.db.manager.findBy(FoldEntity, { jobId });
    expect(folds.map(({ moduleId }) => moduleId).sort()).toEqual(Object.keys(MODULES));
    for (const { chunkIds } of folds) expect(chunkIds.join()).toBe(chunks.map(({ id }) => id).join());
    expect((await sourceOf(jobId)).state).toBe('planned');
  };

  /** @hardening overload: A film has 100,000 frames, 10 s apart */
  it('is written in pages of a bounded size, and visible when it is complete; others are served between the pages', async () => {
    const jobId = await submit();
    const rows: number[] = [];
    const served: string[] = [];
    const paged: Transaction = async (work) => {
      const before = await count(ChunkEntity, jobId);
      const result = await jobs.outbox.transaction(work);
      const after = await count(ChunkEntity, jobId);
      rows.push(after - before);
      if (after === before || after === 10_000) return result;
      const [states] = await jobs.db.query('SELECT array_agg(DISTINCT state) AS all FROM chunks WHERE job_id = $1', [
        jobId,
      ]);
      const seen = { states: states.all, source: (await sourceOf(jobId)).state, folds: await count(FoldEntity, jobId) };
      expect(seen).toEqual({ states: ['drafted'], source: 'requested', folds: 0 });
      if (served.length < 2) {
        const other = (await jobs.commands.submit(jobs.order(['storage://other'], null, MODULES))).job.id;
        await jobs.settled();
        await jobs.openFilm(other, String(served.push(other)).repeat(64));
      }
      return result;
    };
    await plan(jobId, 10_000, paged);
    expect(Math.max(...rows)).toBe(CHUNKS_PER_PAGE);
    expect(rows.filter((written) => written > 0)).toHaveLength(20);
    for (const other of served) expect(await count(FoldEntity, other)).toBe(2);
    await expectWhole(jobId, 10_000);
    await jobs.settled();
    expect(jobs.bus.of('sources.planned', jobId)).toHaveLength(1);
  }, 240_000);

  it('of pictures always fits into a page: a chunk has more of them where they are many', async () => {
    const sources = Array.from({ length: 10_000 }, (_, at) => `storage://${at}`);
    const { id } = (await jobs.commands.submit(jobs.order(sources, null, MODULES))).job;
    await jobs.settled();
    const facts = { kind: 'image' as const, format: 'jpeg', width: 8, height: 8 };
    const images = imagesPerChunk(1, sources.length);
    const spans = Array.from({ length: sources.length / images }, (_, at) => ({
      ...{ sourceStart: at * images, sourceEnd: (at + 1) * images, extent: { kind: 'image' as const } },
    }));
    let transactions = 0;
    const transaction: Transaction = (work) => {
      transactions += 1;
      return jobs.outbox.transaction(work);
    };
    await writePlan({ transaction }, id, async (manager, locked) => {
      await locked.apply({ kind: 'opened' });
      const wanted = Object.keys(MODULES).map((moduleId) => ({ moduleId, spans }));
      return planChunks(manager, locked, 0, { digest: 'a'.repeat(64), facts }, wanted);
    });
    expect(transactions).toBe(1);
    const chunks = await jobs.db.manager.find(ChunkEntity, { where: { jobId: id }, order: { position: 'ASC' } });
    expect(chunks).toHaveLength(CHUNKS_PER_PAGE);
    expect(chunks.every(({ sourceStart, sourceEnd }) => sourceEnd - sourceStart === 20)).toBe(true);
  });

  it('is written at once when it fits into a page', async () => {
    const jobId = await submit();
    let transactions = 0;
    await plan(jobId, CHUNKS_PER_PAGE, (work) => {
      transactions += 1;
      return jobs.outbox.transaction(work);
    });
    expect(transactions).toBe(1);
    await expectWhole(jobId, CHUNKS_PER_PAGE);
  });

  it.each([1, 2])('is begun anew by the next attempt when the process died after page %i', async (pages) => {
    const jobId = await submit();
    await cutAfter(jobId, 1_100, pages);
    expect(await count(ChunkEntity, jobId)).toBe(pages * CHUNKS_PER_PAGE);
    // The media facts are stored with its first page, and kept.
    const facts = expect.objectContaining({ kind: 'video' });
    expect(await sourceOf(jobId)).toMatchObject({ mediaDigest: 'a'.repeat(64), facts, state: 'requested' });
    // None of its chunks is dispatched.
    await jobs.reconciler.run();
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toEqual([]);
    await plan(jobId, 1_100);
    await expectWhole(jobId, 1_100);
  });

  it('that is complete is dispatched by the reconciler when the process died before it could', async () => {
    const jobId = await submit();
    await cutAfter(jobId, 1_100, 3);
    expect((await sourceOf(jobId)).state).toBe('planned');
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toEqual([]);
    await jobs.reconciler.run();
    await expectWhole(jobId, 1_100);
    await jobs.settled();
    const [first] = await jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' }, take: 1 });
    expect(jobs.bus.of('chunks.requested', jobId)[0]!.envelope.payload).toEqual({ chunkId: first!.id });
  });

  it('ends when its job is stopped, and is begun anew by a retry; a planner that slept through both stops', async () => {
    const jobId = await submit();
    let begun = 0;
    await plan(jobId, 1_600, async (work) => {
      begun += 1;
      if (begun === 2) {
        await jobs.commands.stop(jobs.workspaceId, jobId);
        await jobs.commands.retry(jobs.workspaceId, jobId);
        await jobs.settled();
        expect(jobs.bus.of('chunks.requested', jobId)).toEqual([]);
        await plan(jobId, 1_100);
      }
      return jobs.outbox.transaction(work);
    });
    expect(begun).toBe(2);
    await expectWhole(jobId, 1_100);
  });

  it('is abandoned by a planner that finds a part of it removed, though the next attempt has not begun to write', async () => {
    const jobId = await submit();
    const steps = (transaction: Transaction) => plan(jobId, 1_100, transaction);
    const [slow, next] = [new Stepped(jobs, steps), new Stepped(jobs, steps)];
    await slow.step();
    await slow.step();
    await next.step();
    await slow.step();
    expect((await sourceOf(jobId)).state).toBe('requested');
    while (!next.ended) await next.step();
    await expectWhole(jobId, 1_100);
  });

  it('leaves nothing when its job is deleted between two pages', async () => {
    const jobId = await submit();
    let begun = 0;
    await plan(jobId, 1_100, async (work) => {
      begun += 1;
      if (begun === 2) await jobs.commands.delete(jobs.workspaceId, jobId);
      return jobs.outbox.transaction(work);
    });
    expect(begun).toBe(2);
    expect([await count(ChunkEntity, jobId), await count(ChunkAnalysisEntity, jobId)]).toEqual([0, 0]);
  });

  it('has every chunk once, whatever happens between its pages', async () => {
    const deed = fc.oneof(
      { weight: 2, arbitrary: fc.constant('begin' as const) },
      { weight: 6, arbitrary: fc.record({ step: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.record({ dies: fc.nat(3) }) },
      { weight: 1, arbitrary: fc.constantFrom('retry' as const, 'reconcile' as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 14 }), async (deeds) => {
        // Former runs give their slots back.
        await jobs.reset();
        const jobId = await submit();
        const planners: Stepped[] = [];
        const begin = () => void planners.push(new Stepped(jobs, (transaction) => plan(jobId, 1_100, transaction)));
        begin();
        for (const each of deeds) {
          if (each === 'begin') begin();
          else if (each === 'reconcile') await jobs.reconciler.run();
          else if (each === 'retry') {
            await jobs.commands.stop(jobs.workspaceId, jobId);
            await jobs.commands.retry(jobs.workspaceId, jobId);
            await jobs.settled();
          } else if ('step' in each) await planners[each.step % planners.length]!.step();
          else await planners[each.dies % planners.length]!.die();
        }
        for (const planner of planners) await planner.die();
        await plan(jobId, 1_100);
        await jobs.reconciler.run();
        await expectWhole(jobId, 1_100);
      }),
      { numRuns: 12 },
    );
  }, 240_000);
});

/** A planner that takes one transaction at a time, when it is stepped. */
class Stepped {
  private permit: (lives: boolean) => void = () => undefined;
  private committed: () => void = () => undefined;
  ended = false;
  private readonly work: Promise<void>;

  constructor(jobs: JobsUnderTest, run: (transaction: Transaction) => Promise<void>) {
    const transaction = async <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
      this.committed();
      const lives = await new Promise<boolean>((resolve) => (this.permit = resolve));
      if (!lives) throw new Error('it died');
      return jobs.outbox.transaction(work);
    };
    this.work = run(transaction)
      .catch((error: Error) => {
        if (error.message !== 'it died') throw error;
      })
      .finally(() => {
        this.ended = true;
        this.committed();
      });
  }

  /** Waits until it would begin its next transaction, or has ended. */
  async step(lives = true): Promise<void> {
    if (this.ended) return;
    const reached = new Promise<void>((resolve) => (this.committed = resolve));
    this.permit(lives);
    await reached;
    if (this.ended) await this.work;
  }

  async die(): Promise<void> {
    await this.step(false);
    await this.work;
  }
}
