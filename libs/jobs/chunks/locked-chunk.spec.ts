/** @needs servers */
import { inTransaction } from '@adit/database';
import { describeWith } from '@adit/testing';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';
import { decodedChunk, endAnalysis, finishChunk, reanalyse, redecode, setAnalysed } from './chunk-states.js';
import { countUse } from './used-seconds.js';

const ROUNDS = 150;
const use = { media: 10, wall: 4, cpu: 2, gpu: 1 };
const digests = [faces.digest, things.digest];

await describeWith('postgres', 'a chunk and its analyses', () => {
  let jobs: JobsUnderTest;
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    await jobs.reset();
  });
  afterAll(() => jobs?.close());

  /** @hardening scale: Outcomes of a chunk wait for each other in a circle */
  it('are locked in one order, whatever changes them at once', async () => {
    const order = jobs.order();
    const modules = order.modules.map((module) => ({ ...module, analyses: [faces, things] }));
    const jobId = (await jobs.commands.submit({ ...order, modules })).job.id;
    await jobs.openFilm(jobId, 'c'.repeat(64));
    const [{ id }]: [{ id: string }] = await jobs.db.query('SELECT id FROM chunks WHERE job_id = $1 LIMIT 1', [jobId]);
    const outcome = (digest: string) => ({ jobId, chunkId: id, digest });
    const chunk = { id, jobId, packs: {}, digests, leaseSeconds: 60, messages: [] };

    // Deadlocks are repeated: each is one wait of a second, and one error that nobody else sees.
    const codes: unknown[] = [];
    const query = jobs.db.query.bind(jobs.db);
    jest.spyOn(jobs.db, 'query').mockImplementation((...args) => seen(query(...args)));
    const seen = <T>(done: Promise<T>): Promise<T> =>
      done.catch((error: { code?: unknown }) => {
        codes.push(error.code);
        throw error;
      });
    const within = (work: (manager: EntityManager) => Promise<unknown>) =>
      inTransaction(jobs.db, (manager) => seen(work(manager)));

    for (let round = 0; round < ROUNDS; round += 1) {
      const isDecoded = round % 2 === 0;
      const [ofChunk, ofAnalysis] = isDecoded ? ['decoded', 'requested'] : ['requested', 'waiting'];
      await query(`UPDATE chunks SET state = $2, media_counted = '{}' WHERE id = $1`, [id, ofChunk]);
      await query('UPDATE chunk_analyses SET state = $2 WHERE chunk_id = $1', [id, ofAnalysis]);
      await Promise.all([
        ...digests.map((digest) => setAnalysed(jobs.db, outcome(digest), [], use)),
        isDecoded
          ? within((manager) => redecode(manager, id))
          : within((manager) => manager.query(...decodedChunk(chunk))),
        within(async (manager) => {
          const failed = { state: 'failed' as const, units: null, error: 'It failed.' };
          if (await endAnalysis(manager, outcome(things.digest), failed)) {
            await countUse(manager, outcome(things.digest), use);
          }
          await finishChunk(manager, id);
        }),
        within((manager) => reanalyse(manager, id, faces.digest)),
      ]);
    }
    expect(codes).toEqual([]);
  }, 60_000);
});
