/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { mediaPrefix, ROWS_OF_STEP } from '@adit/jobs';
import { faces } from '@adit/jobs/testing';
import {
  useErasedJobs,
  film,
  later,
  jobs,
  sweeper,
  planned,
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

describe('the remains of a deleted job', () => {
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

  it('of 100,000 observations change a few rows under the lock of the job, and a bounded number in every later step', async () => {
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

  it('are erased when its job expires as when it is deleted', async () => {
    const jobId = await analysedJob('one');
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.db.query(`UPDATE jobs SET time_expires = now() WHERE id = $1`, [jobId]);
    await sweeper.expireJobs(later());
    expect([await remembered(), await rowsOf(jobId), await objectsUnder(media())]).toEqual([0, 0, []]);
  });
});
