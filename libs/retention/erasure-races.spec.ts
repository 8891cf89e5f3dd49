/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { ChunkAnalysisEntity, MediaEntity, ObservationEntity } from '@adit/database';
import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mediaGenerations, observationPrefix, planChunks, rememberedObservations, writePlan } from '@adit/jobs';
import { faces, grid, type JobsUnderTest } from '@adit/jobs/testing';
import {
  useErasedJobs,
  film,
  later,
  muchLater,
  jobs,
  sweeper,
  unitOf,
  planned,
  analyse,
  analysedJob,
  remembered,
  known,
  erasures,
  step,
  deleteJob,
  objectsUnder,
  rowsOf,
  media,
} from './testing/erased-jobs.js';

useErasedJobs();

/** Erases a deleted job, begun in the midst of a transaction that stays open for it. */
const eraseBeside = (jobId: string, write: Parameters<JobsUnderTest['beside']>[0]): Promise<void> =>
  jobs.beside(write, async () => {
    while (!(await step(jobId)));
  });

const doing = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('know', 'plan', 'begin', 'end'), of: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete', 'step', 'step'), of: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep'), of: fc.nat(3) }) },
);

describe('the remains of a deleted job', () => {
  it('are erased by two processes at the same time as by one', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    const steps = async () => {
      while (!(await step(jobId, 2)));
    };
    await Promise.all([steps(), steps(), steps()]);
    expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
    expect(await objectsUnder(media())).toEqual([]);
  });

  it('are not complete while a row is left that was changed during its removal', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    await eraseBeside(jobId, (stayOpen) =>
      jobs.db.transaction(async (manager) => {
        await manager.query('UPDATE chunk_analyses SET attempts = attempts + 1 WHERE job_id = $1', [jobId]);
        await stayOpen(manager);
      }),
    );
    expect([await rowsOf(jobId), await erasures()]).toEqual([0, 0]);
  });

  it('are erased with the last of two jobs that are deleted at the same time', async () => {
    const first = await analysedJob('one');
    const second = await planned();
    await Promise.all([first, second].map((jobId) => jobs.commands.delete(jobs.workspaceId, jobId)));
    expect([await remembered(), await objectsUnder(media())]).toEqual([0, []]);
  });

  it('stay where another job uses them, whether that came before or after, until that is deleted too', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    const another = await planned();
    await sweeper.run(later());
    expect([await known(), await rowsOf(jobId)]).toEqual([4, 0]);
    const rows = await jobs.db.manager.findBy(ChunkAnalysisEntity, { jobId: another });
    for (const { state, units } of rows) {
      expect(state).toBe('done');
      expect(await jobs.objects.stat(units![0]!.observations!)).not.toBeNull();
    }
    await jobs.locked(another, (job) => job.apply({ kind: 'stop' }));
    await jobs.commands.expire(another, later());
    expect(await known()).toBe(4);
    await jobs.commands.delete(jobs.workspaceId, another);
    expect([await remembered(), await objectsUnder(media())]).toEqual([0, []]);
  });

  it('are requested again by a job that comes in the midst of the erasure, which spares what that job sees', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    while ((await remembered()) === 4) await step(jobId, 3);
    expect(await remembered()).toBeGreaterThan(0);
    expect(await known()).toBe(0);
    const another = await analysedJob('two');
    expect(await known()).toBe(4);
    while (!(await step(jobId, 3)));
    await sweeper.run(later());
    await sweeper.run(muchLater());
    expect(await known()).toBe(4);
    expect(await objectsUnder(media())).toHaveLength(4);
    await jobs.commands.delete(jobs.workspaceId, another);
    expect([await remembered(), await objectsUnder(media())]).toEqual([0, []]);
  });

  it('wait for a job that is being planned, and are found in use', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    const another = await jobs.submit();
    await eraseBeside(jobId, (stayOpen) => {
      const slow: typeof jobs.outbox.transaction = (work) =>
        jobs.outbox.transaction((manager) => {
          const query = manager.query.bind(manager);
          manager.query = (async (...asked: Parameters<typeof query>): Promise<unknown> => {
            const rows: unknown = await query(...asked);
            // The cached media has been read, and its use is not visible yet.
            if (/FROM observations/.test(asked[0])) await stayOpen(manager);
            return rows;
          }) as typeof manager.query;
          return work(manager);
        });
      return writePlan({ transaction: slow }, another, async (manager, job) => {
        await job.apply({ kind: 'opened' });
        const spans = grid.map((interval) => ({
          sourceStart: 0,
          sourceEnd: 1,
          extent: { kind: 'video' as const, interval },
        }));
        const wanted = [{ moduleId: 'face_recognition', spans }];
        return planChunks(manager, job, 0, { digest: film, facts: filmFacts() }, wanted);
      });
    });
    expect([await known(), await rowsOf(jobId)]).toEqual([4, 0]);
    const rows = await jobs.db.manager.findBy(ChunkAnalysisEntity, { jobId: another });
    expect(rows.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('include observations that are just being cached', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    const { workspaceId } = jobs;
    const unit = unitOf({ ...grid[0]!, frameStart: 1_000, frameEnd: 1_250 });
    const folder = observationPrefix({ id: jobId, workspaceId }, unit, faces.digest, 'one');
    const units = [{ sourceIndex: 0, observations: `${folder}observations.json`, error: null }];
    await jobs.objects.put(units[0]!.observations, Buffer.from('{}'));
    await eraseBeside(jobId, (stayOpen) =>
      jobs.outbox.transaction(async (manager) => {
        await manager.query(...rememberedObservations(workspaceId, faces.digest, { units: [unit], outcomes: units }));
        expect(await manager.countBy(ObservationEntity, { workspaceId })).toBe(5);
        await stayOpen(manager);
      }),
    );
    expect([await remembered(), await objectsUnder(media())]).toEqual([0, []]);
  });

  it('are erased during an upgrade, while an older build deletes all of its jobs at once and checks no folders', async () => {
    const jobId = await analysedJob('one');
    const other = await planned();
    await deleteJob(jobId);
    // The older build erases the job `other`.
    await jobs.db.query('UPDATE jobs SET time_deleted = now() WHERE id = $1', [other]);
    for (const table of ['media', 'observations'])
      await jobs.db.query(`DELETE FROM ${table} WHERE workspace_id = $1`, [jobs.workspaceId]);
    for (const table of ['chunks', 'job_sources'])
      await jobs.db.query(`DELETE FROM ${table} WHERE job_id = $1`, [other]);
    await sweeper.run(later());
    expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
  });

  /** @hardening privacy: An erasure ends in a crash, or races with a job */
  it('never include what a job uses, and in the end nothing is left, whatever comes between the steps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(doing, { minLength: 8, maxLength: 24 }), async (deeds) => {
        await jobs.newWorkspace();
        const { workspaceId } = jobs;
        interface Actor {
          id: string | null;
          deleted: boolean;
          digest: string;
          folders: Map<string, string> | undefined;
        }
        // Two films, two jobs for each; a deleted job is followed by another.
        const actors = Array.from({ length: 4 }, (_, at): Actor => ({
          ...{ id: null, deleted: false, digest: `${at % 2}`.repeat(64), folders: undefined },
        }));
        const gone: string[] = [];
        for (const { kind, of } of deeds) {
          const actor = actors[of]!;
          const { id, digest } = actor;
          if (kind === 'know') {
            await jobs.db.manager
              .createQueryBuilder()
              .insert()
              .into(MediaEntity)
              .values({
                ...{ workspaceId, digest, facts: filmFacts(), grid, indexKey: null, generation: randomUUID() },
                timeExpires: muchLater(),
              })
              .orIgnore()
              .execute();
          } else if (kind === 'plan' && id === null) actor.id = await planned(digest);
          else if (kind === 'begin' && id !== null) {
            actor.folders = await mediaGenerations(jobs.db.manager, workspaceId, [digest]);
          } else if (kind === 'end' && id !== null) await analyse(id, digest, actor.folders);
          else if (kind === 'delete' && id !== null) {
            await deleteJob(id);
            gone.push(id);
            Object.assign(actor, { id: null, folders: undefined });
          } else if (kind === 'step' && gone.length > 0) await step(gone[of % gone.length]!, 1 + of);
          else if (kind === 'sweep') await sweeper.run(later());
          for (const { id: jobId } of actors) {
            if (jobId === null) continue;
            for (const { units } of await jobs.db.manager.findBy(ChunkAnalysisEntity, { jobId, state: 'done' })) {
              expect(await jobs.objects.stat(units![0]!.observations!)).not.toBeNull();
            }
          }
        }
        for (const { id } of actors) if (id !== null) await deleteJob(id);
        await sweeper.run(later());
        await sweeper.run(muchLater());
        expect([await remembered(), await erasures(), await objectsUnder(media())]).toEqual([0, 0, []]);
      }),
      { numRuns: 30 },
    );
  });
});
