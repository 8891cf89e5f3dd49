import { WorkerSlots } from '@adit/leases';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobsUnderTest } from '../testing/jobs-under-test.js';
import { JobSettings } from './settings.js';

/** @hardening jobs: Workers stay idle while a workspace has work */
describe('slots of live workers', () => {
  let jobs: JobsUnderTest;
  let workers: WorkerSlots[] = [];
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterEach(async () => {
    for (const worker of workers) await worker.onApplicationShutdown();
    workers = [];
  });
  afterAll(() => jobs.close());

  const announce = async (...slots: number[]) => {
    workers = slots.map((each) => new WorkerSlots(jobs.db, each));
    for (const worker of workers) {
      worker.nudge();
      await worker.idle();
    }
  };
  /** Photos that are opened, of so many jobs of one photo each. */
  const opened = async (count: number, settings: Partial<JobSettings> = {}) => {
    const ids = await Promise.all(Array.from({ length: count }, () => jobs.submit(['storage://photo'])));
    const scheduler = jobs.newScheduler(jobs.outbox, JobSettings.parse(settings));
    for (let round = 0; round < 3; round += 1) {
      scheduler.nudge();
      await scheduler.idle();
    }
    await jobs.outbox.idle();
    return ids.filter((id) => jobs.bus.of('sources.requested', id).length > 0).length;
  };

  it('are all given to a workspace that is alone, two for each', async () => {
    await announce(4, 16);
    expect(await opened(50)).toBe(40);
  });

  it('are the limit of its jobs only where none is set', async () => {
    await announce(20);
    expect(await opened(20, { activeJobsPerWorkspace: 5 })).toBe(5);
    await jobs.reset();
    expect(await opened(20, { maxChunksInFlight: 12 })).toBe(12);
  });

  it('leave one for a workspace that comes later', async () => {
    await announce(10);
    expect(await opened(30)).toBe(20);
    await jobs.newWorkspace();
    expect(await opened(5)).toBe(1);
  });

  it('count no longer when the worker has ended', async () => {
    await announce(10, 10);
    await workers.pop()!.onApplicationShutdown();
    expect(await opened(30)).toBe(20);
  });

  it('are eight at least', async () => {
    expect(await opened(20)).toBe(8);
  });

  it('are shared equally by workspaces, though three schedulers give them at once', async () => {
    await announce(20);
    const workspaces: string[] = [];
    for (let each = 0; each < 4; each += 1) {
      await jobs.newWorkspace();
      workspaces.push(jobs.workspaceId);
      // Two films that are planned, and photos.
      for (let film = 0; film < 2; film += 1) {
        const id = await jobs.submit();
        await jobs.openFilm(id, `${each}${film}`.padEnd(64, 'e'));
        await jobs.db.query(`UPDATE jobs SET admitted = true WHERE id = $1`, [id]);
      }
      for (let photo = 0; photo < 20; photo += 1) await jobs.submit(['storage://photo']);
    }
    const schedulers = [1, 2, 3].map(() => jobs.newScheduler(jobs.outbox, JobSettings.parse({})));
    for (const scheduler of schedulers) scheduler.nudge();
    await Promise.all(schedulers.map((scheduler) => scheduler.idle()));
    const taken: { workspace: string; count: number }[] = await jobs.db.query(
      `SELECT j.workspace_id AS workspace,
              (count(c.id) + count(s.job_id))::int AS count
         FROM jobs j
         LEFT JOIN chunks c ON c.job_id = j.id AND c.state = 'requested'
         LEFT JOIN job_sources s ON s.job_id = j.id AND s.state = 'requested' AND c.id IS NULL
        WHERE j.workspace_id = ANY ($1) GROUP BY 1`,
      [workspaces],
    );
    expect(taken.map(({ count }) => count)).toEqual([10, 10, 10, 10]);
  });
});
