/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { ChunkAnalysisEntity, JobErasureEntity, MediaEntity, ObservationEntity } from '@adit/database';
import { filmFacts } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { EntityManager } from 'typeorm';
import {
  eraseStep,
  knownObservations,
  mediaGenerations,
  mediaPrefix,
  observationPrefix,
  planChunks,
  rememberObservations,
  ROWS_OF_STEP,
  writePlan,
  type JobCommands,
} from '@adit/jobs';
import { removeObjects } from '@adit/object-removals';
import { faces, grid, JobsUnderTest } from '@adit/jobs/testing';
import type { Sweeper } from './sweeper.js';
import { sweeperOf } from './testing/sweeper-of.js';

const film = 'a'.repeat(64);
const later = () => new Date(Date.now() + 120_000);
const muchLater = () => new Date(Date.now() + 2 * 3_600_000);

describe('the remains of a deleted job', () => {
  let jobs: JobsUnderTest;
  let sweeper: Sweeper;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    sweeper = sweeperOf(jobs);
  });
  beforeEach(() => jobs.reset());
  afterEach(() => sweeper.run(muchLater()));
  afterAll(() => jobs.close());

  const unitOf = (interval: (typeof grid)[number], mediaDigest = film) => ({
    ...{ sourceIndex: 0, mediaDigest, facts: filmFacts(), kind: 'video' as const, interval },
  });
  /** Submits a job that has planned a film. */
  const planned = async (digest = film): Promise<string> => {
    const jobId = await jobs.submit();
    await jobs.openFilm(jobId, digest);
    return jobId;
  };
  /** Analyses a job's chunks as a worker that began when the film had these object folders. */
  const analyse = async (jobId: string, digest = film, folders?: Map<string, string>): Promise<void> => {
    const { workspaceId } = jobs;
    folders ??= await mediaGenerations(jobs.db.manager, workspaceId, [digest]);
    const waiting: { id: string; interval: (typeof grid)[number] }[] = await jobs.db.query(
      `SELECT c.id, c.interval FROM chunks c JOIN chunk_analyses a ON a.chunk_id = c.id AND a.state = 'waiting'
         JOIN jobs j ON j.id = c.job_id AND j.time_deleted IS NULL WHERE c.job_id = $1`,
      [jobId],
    );
    for (const { id: chunkId, interval } of waiting) {
      const unit = unitOf(interval, digest);
      const folder = observationPrefix({ id: jobId, workspaceId }, unit, faces.digest, folders.get(digest) ?? null);
      const units = [{ sourceIndex: 0, observations: `${folder}observations.json`, error: null }];
      await jobs.objects.put(units[0]!.observations, Buffer.from('{}'));
      await jobs.outbox.transaction((manager) =>
        rememberObservations(manager, workspaceId, faces.digest, [unit], units),
      );
      await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId, digest: faces.digest }, { state: 'done', units });
    }
  };
  const analysedJob = async (generation: string): Promise<string> => {
    await jobs.knowFilm(film, generation);
    const jobId = await planned();
    await analyse(jobId);
    return jobId;
  };
  const remembered = () => jobs.db.manager.countBy(ObservationEntity, { workspaceId: jobs.workspaceId });
  const known = async () => (await knownObservations(jobs.db.manager, jobs.workspaceId, [film], [faces.digest])).size;
  const erasures = () => jobs.db.manager.countBy(JobErasureEntity, { workspaceId: jobs.workspaceId });
  const step = async (jobId: string, rows?: number): Promise<boolean> => {
    const { over, removals } = await jobs.outbox.transaction((manager) => eraseStep(manager, jobId, rows));
    await removeObjects(jobs.objects, removals);
    return over;
  };
  /** Deletes jobs without erasing: the process dies of it, or cannot. */
  const dying = (): JobCommands =>
    Object.assign(Object.create(jobs.commands) as JobCommands, {
      eraseSome: () => Promise.reject(new AditError('UNAVAILABLE', 'It died.')),
    });
  const deleteJob = (jobId: string) => dying().delete(jobs.workspaceId, jobId);
  const objectsUnder = async (prefix: string): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of jobs.objects.list(prefix)) keys.push(key);
    return keys;
  };
  const rowsOf = async (jobId: string): Promise<number> => {
    const tables = [
      'exports',
      'chunks',
      'chunk_analyses',
      'job_sources',
      'job_modules',
      'job_analyses',
      'folds',
      'segments',
    ];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table} WHERE job_id = $1)`);
    return (await jobs.db.query(`SELECT ${counts.join(' + ')} AS rows`, [jobId]))[0].rows;
  };
  const media = () => `media/${jobs.workspaceId}/`;

  /** Erases a deleted job, begun in the midst of a transaction that stays open for it. */
  const eraseBeside = (jobId: string, write: Parameters<JobsUnderTest['beside']>[0]): Promise<void> =>
    jobs.beside(write, async () => {
      while (!(await step(jobId)));
    });

  it('are erased at once when they are few', async () => {
    const jobId = await analysedJob('one');
    await jobs.commands.delete(jobs.workspaceId, jobId);
    expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
    expect(await objectsUnder(media())).toEqual([]);
  });

  it('include the pictures of versions on trial, also of media that another job uses', async () => {
    const jobId = await analysedJob('one');
    await planned();
    const key = `${mediaPrefix(jobs.workspaceId, film, 'one')}0-250/a/b/canary-1.jpg`;
    await jobs.objects.put(key, Buffer.from('a'));
    await jobs.db.query(
      `INSERT INTO canary_pictures (id, canary_id, workspace_id, job_id, object_key, frame, time, difference, stable, candidate)
       VALUES (gen_random_uuid(), gen_random_uuid(), $1, $2, $3, 0, 0, 1, '[]', '[]')`,
      [jobs.workspaceId, jobId, key],
    );
    await jobs.commands.delete(jobs.workspaceId, jobId);
    expect(await jobs.db.query('SELECT 1 FROM canary_pictures WHERE job_id = $1', [jobId])).toEqual([]);
    expect(await jobs.objects.stat(key)).toBeNull();
    expect(await remembered()).toBeGreaterThan(0);
  });

  it('cost the lock on a job with 100,000 observations a few rows, and every step after it a bounded number', async () => {
    const jobId = await analysedJob('one');
    const many = 100_000;
    const folder = mediaPrefix(jobs.workspaceId, film, 'one');
    await jobs.db.query(
      `INSERT INTO observations (workspace_id, media_digest, interval, analysis_digest, object_key, time_expires)
       SELECT $1, $2, n || '-' || n + 1, $3, $4 || n || '-' || n + 1 || '/a/b/observations.json', now() + interval '1 day'
         FROM generate_series(100000, $5::int - 5 + 100000) n`,
      [jobs.workspaceId, film, faces.digest, folder, many],
    );
    await jobs.db.query(
      `INSERT INTO chunk_analyses (chunk_id, digest, job_id, state)
       SELECT gen_random_uuid(), 'd', $1, 'done' FROM generate_series(1, 5000)`,
      [jobId],
    );
    await jobs.db.query(
      `WITH e AS (
         INSERT INTO exports (id, workspace_id, job_id, strategy, config, state)
         SELECT gen_random_uuid(), $1, $2, 'job_results_export', '{}', 'completed' FROM generate_series(1, 3000)
         RETURNING id)
       INSERT INTO artifacts (id, export_id, filename, object_key, size, time_expiration)
       SELECT gen_random_uuid(), id, 'a', 'exports/' || id || '/a', 1, now() FROM e`,
      [jobs.workspaceId, jobId],
    );
    expect(await remembered()).toBe(many);
    const transactions: { statements: number; rows: number }[] = [];
    const changed = async (manager: EntityManager): Promise<number> =>
      (
        await manager.query('SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::int AS rows FROM pg_stat_xact_user_tables')
      )[0].rows;
    const transaction = jobs.outbox.transaction.bind(jobs.outbox);
    jobs.outbox.transaction = (work) =>
      transaction(async (manager) => {
        const before = await changed(manager);
        const runner = manager.queryRunner!;
        const query = runner.query.bind(runner);
        let statements = 0;
        runner.query = ((...args: Parameters<typeof query>) => {
          statements++;
          return query(...args);
        }) as typeof runner.query;
        const result = await work(manager);
        runner.query = query;
        transactions.push({ statements, rows: (await changed(manager)) - before });
        return result;
      });
    try {
      await jobs.commands.delete(jobs.workspaceId, jobId);
      const [deletion, ...steps] = transactions;
      expect(deletion!.statements).toBeLessThanOrEqual(10);
      expect(deletion!.rows).toBeLessThanOrEqual(10);
      // The client is answered before the erasure is complete.
      expect(steps.length).toBeLessThan(30);
      expect(await remembered()).toBeGreaterThan(many / 2);
      // Nothing of it is found any more.
      expect(await known()).toBe(0);
      await expect(jobs.commands.stop(jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await sweeper.run(later());
      expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
      expect((await jobs.db.query('SELECT count(*)::int AS files FROM artifacts'))[0].files).toBe(0);
      expect(transactions.length).toBeGreaterThan(many / ROWS_OF_STEP);
      expect(Math.max(...transactions.map(({ rows }) => rows))).toBeLessThanOrEqual(ROWS_OF_STEP + 10);
      expect(Math.max(...transactions.map(({ statements }) => statements))).toBeLessThanOrEqual(40);
    } finally {
      jobs.outbox.transaction = transaction;
    }
    expect(await objectsUnder(media())).toEqual([]);
  });

  it('are found by nobody from its deletion on, and erased by the sweeper when its process died then', async () => {
    const jobId = await analysedJob('one');
    await deleteJob(jobId);
    expect([await remembered(), await erasures()]).toEqual([4, 1]);
    for (const asked of ['stop', 'retry', 'delete'] as const) {
      await expect(jobs.commands[asked](jobs.workspaceId, jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await sweeper.run(later());
    expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
    expect(await objectsUnder(media())).toEqual([]);
  });

  it('are erased also when the process dies between any two steps, and when the tombstone is removed first', async () => {
    for (let died = 1; ; died++) {
      const jobId = await analysedJob(`${died}`);
      await deleteJob(jobId);
      let over = false;
      for (let steps = 0; steps < died && !over; steps++) over = await step(jobId, 3);
      // A sweeper of an older build knows no erasures.
      await jobs.db.query('DELETE FROM jobs WHERE id = $1', [jobId]);
      await sweeper.run(later());
      expect([await remembered(), await rowsOf(jobId), await erasures()]).toEqual([0, 0, 0]);
      expect(await objectsUnder(media())).toEqual([]);
      if (over) break;
    }
  });

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

  it('are erased when its job expires as when it is deleted', async () => {
    const jobId = await analysedJob('one');
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.db.query(`UPDATE jobs SET time_expires = now() WHERE id = $1`, [jobId]);
    await sweeper.expireJobs(later());
    expect([await remembered(), await rowsOf(jobId), await objectsUnder(media())]).toEqual([0, 0, []]);
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
        await rememberObservations(manager, workspaceId, faces.digest, [unit], units);
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

  const doing = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('know', 'plan', 'begin', 'end'), of: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete', 'step', 'step'), of: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep'), of: fc.nat(3) }) },
  );

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
