/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { ChunkEntity, columns, JobEntity, InferenceRequestEntity, ObjectRemovalEntity } from '@adit/database';
import { CLOCK_ALONE } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { noteRemovals } from '@adit/object-removals';
import { JobsUnderTest } from '@adit/jobs/testing';
import type { Sweeper } from './sweeper.js';
import { sweeperOf } from './testing/sweeper-of.js';

describe.each([-20, 20])('a process whose clock is %i minutes off', (minutes) => {
  let jobs: JobsUnderTest;
  let sweeper: Sweeper;
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
    sweeper = sweeperOf(jobs);
  });
  beforeEach(async () => {
    await jobs.reset();
    jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCK_ALONE] });
  });
  afterEach(() => void jest.useRealTimers());
  afterAll(() => jobs.close());

  /** Returns the minutes from now, by the database's clock, to a time in its rows. */
  const minutesTo = async (column: string, table: string, jobId: string): Promise<number[]> => {
    const rows = await jobs.db.query<{ minutes: number }[]>(
      `SELECT round(extract(epoch FROM ${column} - now()) / 60)::int AS minutes FROM ${table}
        WHERE job_id = $1 AND ${column} IS NOT NULL`,
      [jobId],
    );
    return rows.map((row) => row.minutes);
  };

  it('gives leases that others respect, and does not count theirs as lost', async () => {
    const jobId = await jobs.submit();
    await jobs.settled();
    expect(await minutesTo('lease_until', 'job_sources', jobId)).toEqual([10]);
    await jobs.openFilm(jobId, 'a'.repeat(64), 0, { leaseSeconds: 60 });
    // The chunk with the source's slot comes first, then one that is dispatched.
    expect(await minutesTo('lease_until', 'chunks', jobId)).toEqual([10]);
    await jobs.settled();
    expect(await minutesTo('lease_until', 'chunks', jobId)).toEqual([10, 10]);
    const asked = jobs.bus.of('chunks.requested', jobId).length;
    await jobs.reconciler.run();
    await jobs.settled();
    expect(jobs.bus.of('chunks.requested', jobId)).toHaveLength(asked);
    expect(await jobs.db.manager.countBy(ChunkEntity, { jobId, state: 'requested' })).toBe(2);
  });

  it('keeps an ended job for its ttl, and sweeps nothing early', async () => {
    const jobId = await jobs.submit();
    await jobs.db.manager.update(JobEntity, { id: jobId }, { ttl: 600 });
    await jobs.locked(jobId, (job) => job.apply({ kind: 'stop' }));
    const [{ kept }] = (await jobs.db.query(
      `SELECT round(extract(epoch FROM time_expires - now()) / 60)::int AS kept FROM jobs WHERE id = $1`,
      [jobId],
    )) as [{ kept: number }];
    expect(kept).toBe(10);
    const id = randomUUID();
    const question = { analyses: [], module: null };
    const request = { id, workspaceId: jobs.workspaceId, source: null, objectKey: null, question };
    await jobs.db.manager.insert(InferenceRequestEntity, columns<InferenceRequestEntity>(request));
    await noteRemovals(jobs.db.manager, ['looks/of-another'], { inSeconds: 600 });
    await sweeper.expireJobs();
    await sweeper.run();
    expect(await jobs.db.manager.existsBy(InferenceRequestEntity, { id })).toBe(true);
    expect(await jobs.db.manager.existsBy(ObjectRemovalEntity, { prefix: 'looks/of-another' })).toBe(true);
    expect((await jobs.db.manager.findOneByOrFail(JobEntity, { id: jobId })).timeDeleted).toBeNull();
  });
});
