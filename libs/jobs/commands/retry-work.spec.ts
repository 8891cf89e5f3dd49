/** @needs ffmpeg */
import { ChunkAnalysisEntity, JobSourceEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rowsOf, type PlanNode } from '@adit/testing';
import type { EntityManager } from 'typeorm';
import { faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';
import { incompleteModules, planRetry } from './retry.js';

const PICTURES = 10_000;
const MODULES = { face_recognition: faces, object_scene_recognition: things };

/**
 * A retry locks its job, and the one session of the embedded database, until its last statement. Row counts are the
 * same on any machine.
 */
describe.each([
  ['without statistics, as the embedded database', 'SELECT 1'],
  ['with statistics', 'ANALYZE'],
])('a retry of a job of 10,000 pictures, %s', (_, statistics) => {
  let jobs: JobsUnderTest;
  let jobId: string;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    await jobs.reset();
    const sources = Array.from({ length: PICTURES }, (_, index) => `storage://${index}`);
    jobId = (await jobs.commands.submit(jobs.order(sources, null, MODULES))).job.id;
    await jobs.openImages(jobId, PICTURES, 64);
    await jobs.db.query(
      'UPDATE folds SET next_chunk = jsonb_array_length(chunk_ids), closed = true WHERE job_id = $1',
      [jobId],
    );
    await jobs.db.query(
      `INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, frame_start, frame_end, time_start, time_end,
                             type, label, confidence, meta, detections)
       SELECT $1, n, CASE n % 2 WHEN 0 THEN 'face_recognition' ELSE 'object_scene_recognition' END, n / 2, n, 0, 0, 0, 0,
              'face', 'unknown', 0, '{}', '[]' FROM generate_series(0, $2 - 1) n`,
      [jobId, PICTURES],
    );
    await jobs.db.query(statistics);
  }, 120_000);
  afterAll(() => jobs?.close());

  /** Rows that each statement of a retry touches, by its text; the retry is rolled back. */
  async function statements(): Promise<{ rows: number; sql: string }[]> {
    const seen: { rows: number; sql: string }[] = [];
    const tried = jobs.locked(jobId, async (locked) => {
      const { manager } = locked;
      const query = manager.query.bind(manager);
      const explained = async (sql: string, values?: unknown[]): Promise<unknown> => {
        await query('SAVEPOINT explained');
        const [answer]: { 'QUERY PLAN': { Plan: PlanNode }[] }[] = await query(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          values,
        );
        await query('ROLLBACK TO SAVEPOINT explained');
        for (const { Plan } of answer?.['QUERY PLAN'] ?? []) seen.push({ rows: rowsOf(Plan), sql });
        return query(sql, values);
      };
      // It returns the result of the statement.
      manager.query = explained as EntityManager['query'];
      await locked.apply({ kind: 'retry', incomplete: await incompleteModules(manager, locked.job) });
      await planRetry(manager, locked);
      throw new Error('taken back');
    });
    await expect(tried).rejects.toThrow('taken back');
    return seen;
  }

  it.each([
    ['all pictures were refused', `UPDATE job_sources SET state = 'failed', media_digest = NULL WHERE job_id = $1`],
    ['all analyses were lost', `UPDATE chunk_analyses SET state = 'failed' WHERE job_id = $1`],
    [
      'one analysis was lost',
      `UPDATE chunk_analyses SET state = 'failed' WHERE ctid = (SELECT min(ctid) FROM chunk_analyses WHERE job_id = $1)`,
    ],
    ['no module has read anything', 'UPDATE folds SET next_chunk = 0, closed = false WHERE job_id = $1'],
  ])(
    'touches few rows for each when %s',
    async (_, lost) => {
      await jobs.db.manager.update(ChunkAnalysisEntity, { jobId }, { state: 'done' });
      await jobs.db.manager.update(JobSourceEntity, { jobId }, { state: 'planned', mediaDigest: '1'.repeat(64) });
      await jobs.db.query(
        `UPDATE chunk_analyses a SET units = (
           SELECT jsonb_agg(jsonb_build_object('sourceIndex', i, 'observations', concat('media/x/', i)))
             FROM chunks c, generate_series(c.source_start, c.source_end - 1) i WHERE c.id = a.chunk_id)
          WHERE job_id = $1`,
        [jobId],
      );
      await jobs.db.query(lost, [jobId]);
      await jobs.db.query(`UPDATE jobs SET state = 'failed' WHERE id = $1`, [jobId]);
      await jobs.db.query(`UPDATE job_modules SET state = 'failed' WHERE job_id = $1`, [jobId]);
      const found = await statements();
      expect(found.length).toBeGreaterThan(8);
      expect(found.filter(({ rows }) => rows > 20 * PICTURES)).toEqual([]);
    },
    120_000,
  );
});
