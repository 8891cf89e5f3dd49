import { inTransaction } from '@adit/database';
import { forgetUsage } from '@adit/usage';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';
import { endAnalysis, reanalyse, setAnalysed } from './chunk-states.js';
import { countUse } from './used-seconds.js';

const use = { media: 10, wall: 4, cpu: 2, gpu: 1 };

describe('what analyses took', () => {
  let jobs: JobsUnderTest;
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  interface Row {
    module: string;
    key: string;
    media: number;
    wall: number;
    cpu: number;
    gpu: number;
  }
  const rows = (): Promise<Row[]> =>
    jobs.db.query(
      `SELECT module_id AS module, key_id AS key, media_seconds AS media, chunk_seconds AS wall, cpu_seconds AS cpu, gpu_seconds AS gpu
         FROM usage_days WHERE workspace_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date ORDER BY module_id`,
      [jobs.workspaceId],
    );

  /** A job with a planned film; its chunks. */
  async function planned(...order: Parameters<JobsUnderTest['order']>): Promise<{ jobId: string; chunks: string[] }> {
    const { job } = await jobs.commands.submit({ ...jobs.order(...order), keyId: 'a key' });
    await jobs.openFilm(job.id, 'a'.repeat(64));
    const chunks: { id: string }[] = await jobs.db.query('SELECT id FROM chunks WHERE job_id = $1 ORDER BY position', [
      job.id,
    ]);
    return { jobId: job.id, chunks: chunks.map(({ id }) => id) };
  }

  /** @hardening scale: A retry counts what was used twice */
  it('is counted once for each recorded outcome, whatever is repeated', async () => {
    const { jobId, chunks } = await planned();
    const [first = '', second = ''] = chunks;
    const record = (chunkId: string) => setAnalysed(jobs.db, { jobId, chunkId, digest: faces.digest }, [], use);
    const outcomes = await Promise.all([record(first), record(first), record(first)]);
    expect(outcomes.filter(({ recorded }) => recorded).length).toBe(1);
    const once = { module: 'face_recognition', key: 'a key', ...use };
    expect(await rows()).toEqual([once]);
    await record(second);
    const twice = { media: 20, wall: 8, cpu: 4, gpu: 2 };
    expect(await rows()).toEqual([{ ...once, ...twice }]);
    // Lost observations are made once more, which takes as long, of media that are counted.
    await inTransaction(jobs.db, (manager) => reanalyse(manager, first, faces.digest));
    await record(first);
    expect(await rows()).toEqual([{ ...once, media: 20, wall: 12, cpu: 6, gpu: 3 }]);
    // Builds that measure nothing.
    await setAnalysed(jobs.db, { jobId, chunkId: chunks[2] ?? '', digest: faces.digest }, []);
    expect((await rows())[0]?.wall).toBe(12);
  });

  it('is shared by the modules of an analysis, and media count once for each module', async () => {
    const both = { a_module: faces, b_module: faces };
    const { jobId, chunks } = await planned(undefined, undefined, both);
    await setAnalysed(jobs.db, { jobId, chunkId: chunks[0] ?? '', digest: faces.digest }, [], use);
    const half = { key: 'a key', media: 10, wall: 2, cpu: 1, gpu: 0.5 };
    expect(await rows()).toEqual([
      { module: 'a_module', ...half },
      { module: 'b_module', ...half },
    ]);
  });

  describe('by a module of two analyses', () => {
    let jobId: string;
    let chunks: string[];
    beforeEach(async () => {
      await jobs.newWorkspace();
      const order = jobs.order();
      const modules = order.modules.map((module) => ({ ...module, analyses: [faces, things] }));
      jobId = (await jobs.commands.submit({ ...order, modules })).job.id;
      await jobs.openFilm(jobId, 'b'.repeat(64));
      const found: { id: string }[] = await jobs.db.query('SELECT id FROM chunks WHERE job_id = $1', [jobId]);
      chunks = found.map(({ id }) => id);
    });
    const record = (chunkId: string, { digest }: { digest: string }, took: typeof use = use) =>
      setAnalysed(jobs.db, { jobId, chunkId, digest }, [], took);
    const counted = { module: 'face_recognition', key: '' };

    it('counts media once, also where both end at once', async () => {
      await Promise.all(chunks.flatMap((chunk) => [record(chunk, faces), record(chunk, things)]));
      const all = chunks.length;
      expect(await rows()).toEqual([{ ...counted, media: 10 * all, wall: 8 * all, cpu: 4 * all, gpu: 2 * all }]);
    });

    it.each([
      ['first', faces],
      ['last', things],
    ])('counts media where the %s of them took nothing: its observations were known', async (_, known) => {
      const [chunk = ''] = chunks;
      const nothing = { media: 0, wall: 0, cpu: 0, gpu: 0 };
      for (const one of [faces, things]) await record(chunk, one, one === known ? nothing : use);
      expect(await rows()).toEqual([{ ...counted, ...use }]);
      // What was known is lost, and analysed after all.
      await inTransaction(jobs.db, (manager) => reanalyse(manager, chunk, known.digest));
      await record(chunk, known);
      expect(await rows()).toEqual([{ ...counted, media: 10, wall: 8, cpu: 4, gpu: 2 }]);
    });
  });

  it('is counted with outcomes that have problems, and undone with their transaction', async () => {
    const { jobId, chunks } = await planned();
    const chunk = { jobId, chunkId: chunks[0] ?? '', digest: faces.digest };
    const end = (fails: boolean) =>
      inTransaction(jobs.db, async (manager) => {
        const ended = await endAnalysis(manager, chunk, { state: 'done', units: [], error: null });
        if (ended) await countUse(manager, chunk, use);
        if (fails) throw new Error('It died.');
        return ended;
      });
    await expect(end(true)).rejects.toThrow('It died.');
    expect(await rows()).toEqual([]);
    expect([await end(false), await end(false)]).toEqual([true, false]);
    expect((await rows()).map(({ wall }) => wall)).toEqual([4]);
  });

  it('is forgotten some days at a time', async () => {
    const { jobId, chunks } = await planned();
    await setAnalysed(jobs.db, { jobId, chunkId: chunks[0] ?? '', digest: faces.digest }, [], use);
    await jobs.db.query(`UPDATE usage_days SET day = '2020-01-02'`);
    expect(await forgetUsage(jobs.db, '2020-01-02', 10)).toBe(0);
    expect(await forgetUsage(jobs.db, '2020-01-03', 10)).toBeGreaterThan(0);
    expect(await forgetUsage(jobs.db, '2020-01-03', 10)).toBe(0);
  });
});
