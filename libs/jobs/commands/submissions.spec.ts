/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { BatchEntity, JobEntity, WorkspaceEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { JobsUnderTest } from '../testing/jobs-under-test.js';

describe('jobs submitted at the same time', () => {
  let jobs: JobsUnderTest;
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  const many = (count: number) => Array.from({ length: count }, (_, at) => at);
  const rowsOf = async (table: string, jobId: string): Promise<Record<string, unknown>[]> =>
    jobs.db.query(`SELECT * FROM ${table} WHERE job_id = $1 ORDER BY 2`, [jobId]);

  it('are written each with its own sources, parts and message', async () => {
    const sources = many(25).map((at) => [`storage://first-${at}`, `storage://second-${at}`]);
    const made = await Promise.all(sources.map((each) => jobs.commands.submit(jobs.order(each))));
    await jobs.settled();
    expect(new Set(made.map(({ job }) => job.id)).size).toBe(25);
    for (const [at, { job, modules }] of made.entries()) {
      const row = await jobs.db.manager.findOneByOrFail(JobEntity, { id: job.id });
      const { sources: own, names, sourceCount, summary, ...columns } = job;
      expect([own, names, sourceCount, summary]).toEqual([sources[at], [null, null], 2, []]);
      expect(row).toMatchObject({ ...columns, workspaceId: jobs.workspaceId, rank: 4, admitted: expect.any(Boolean) });
      expect((await rowsOf('job_sources', job.id)).map(({ index, uri }) => [index, uri])).toEqual([
        [0, `storage://first-${at}`],
        [1, `storage://second-${at}`],
      ]);
      expect(await rowsOf('job_modules', job.id)).toMatchObject([{ module_id: modules[0]!.postedAs, position: 0 }]);
      expect(await rowsOf('job_analyses', job.id)).toMatchObject([{ analysis: 'faces' }]);
      const [message, ...more] = jobs.bus.of('jobs.submitted', job.id);
      expect([message!.key, more]).toEqual([job.id, []]);
    }
  });

  it('do not fail with one that cannot be written, which leaves nothing', async () => {
    const taken = await jobs.submit(['storage://before']);
    const ids = many(8).map((at) => (at === 3 ? taken : randomUUID()));
    const outcomes = await Promise.allSettled(
      ids.map((id, at) => jobs.commands.submit(jobs.order([`storage://${at}`]), id)),
    );
    await jobs.settled();
    expect(outcomes.map(({ status }) => status)).toEqual(ids.map((id) => (id === taken ? 'rejected' : 'fulfilled')));
    expect(outcomes[3]).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect((await rowsOf('job_sources', taken)).map(({ uri }) => uri)).toEqual(['storage://before']);
    for (const id of ids) expect(jobs.bus.of('jobs.submitted', id)).toHaveLength(1);
  });

  it('are in the batch that each names, and in none that was deleted or is another’s', async () => {
    const batches = many(3).map(() => randomUUID());
    const othersBatch = randomUUID();
    const own = jobs.workspaceId;
    for (const [at, id] of batches.entries()) {
      const timeDeleted = at === 1 ? new Date() : null;
      await jobs.db.manager.insert(BatchEntity, { id, workspaceId: own, name: 'batch', parentId: null, timeDeleted });
    }
    await jobs.newWorkspace();
    const row = { id: othersBatch, workspaceId: jobs.workspaceId, name: 'batch', parentId: null };
    await jobs.db.manager.insert(BatchEntity, row);
    jobs.workspaceId = own;
    const named = [...batches, othersBatch, null];
    const made = await Promise.all(named.map((batch) => jobs.commands.submit(jobs.order(undefined, batch))));
    expect(made.map(({ job }) => job.batchId)).toEqual([batches[0], null, batches[2], null, null]);
  });

  it('are not written where their workspace was erased since the request', async () => {
    const living = jobs.order();
    await jobs.newWorkspace();
    const erased = jobs.order();
    await jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { timeDeleted: new Date() });
    const id = randomUUID();
    const outcomes = await Promise.allSettled([jobs.commands.submit(living), jobs.commands.submit(erased, id)]);
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'NOT_FOUND' } }]);
    const { workspaceId } = jobs;
    const batch = { id: randomUUID(), workspaceId, name: 'batch', parentId: null };
    const beside = async (manager: EntityManager): Promise<void> => void (await manager.insert(BatchEntity, batch));
    await expect(jobs.commands.submitAll([living, erased], beside)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await jobs.settled();
    expect(await jobs.db.manager.countBy(JobEntity, { workspaceId: living.workspaceId })).toBe(1);
    expect(await jobs.db.manager.countBy(JobEntity, { workspaceId })).toBe(0);
    expect(await jobs.db.manager.countBy(BatchEntity, { workspaceId })).toBe(0);
    expect([await rowsOf('job_sources', id), await rowsOf('job_modules', id)]).toEqual([[], []]);
    expect(jobs.bus.of('jobs.submitted', id)).toEqual([]);
  });

  it('are prepared in slices when they are many, while earlier ones are written', async () => {
    const order = jobs.order();
    let ready = 0;
    const given = many(950).map(() =>
      Object.defineProperty({ ...order }, 'request', { get: () => ((ready += 1), order.request) }),
    );
    const written: number[] = [];
    await jobs.commands.submitAll(given, async (manager) => {
      const query = manager.query.bind(manager);
      manager.query = ((...args: Parameters<typeof query>) => {
        written.push(ready);
        return query(...args);
      }) as typeof manager.query;
    });
    expect(written.slice(0, 3)).toEqual([100, 200, 300]);
    await jobs.settled();
    expect(await jobs.db.manager.countBy(JobEntity, { workspaceId: order.workspaceId })).toBe(950);
  });

  it('are announced once each', async () => {
    const answered: string[][] = many(4).map(() => []);
    await Promise.all(
      answered.map(async (ids) => {
        for (let each = 0; each < 6; each += 1) ids.push(await jobs.submit());
      }),
    );
    await jobs.settled();
    const told = jobs.bus.messages.filter(({ topic }) => topic === 'jobs.submitted').map((one) => one.envelope.jobId);
    const ids = answered.flat().sort();
    expect(told.filter((id) => ids.includes(id)).sort()).toEqual(ids);
  });

  it('are refused within a transaction, whose connection they would wait for', async () => {
    await jobs.outbox.transaction(async () => {
      await expect(jobs.submit()).rejects.toMatchObject({ code: 'INTERNAL' });
    });
  });
});
