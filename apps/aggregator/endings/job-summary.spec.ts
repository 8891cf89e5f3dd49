import { JobEntity, JobSourceEntity } from '@adit/database';
import { ModuleRegistry } from '@adit/module-kit';
import { configureLogging } from '@adit/runtime';
import { filmFacts } from '@adit/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { countingModule, FoldingJobs } from '../testing/folding-jobs.js';
import { JobSummary } from './job-summary.js';

describe('the summary of a film', () => {
  let jobs: FoldingJobs;

  beforeAll(() => configureLogging({ level: 'silent' }));
  afterEach(() => jobs.close());

  it('names gaps of its clock without pictures, and nothing where there is none', async () => {
    const module = countingModule('module_0');
    jobs = await FoldingJobs.start([module]);
    const summary = new JobSummary(jobs.db, new ModuleRegistry([module]));
    const infoOf = async (facts = filmFacts()) => {
      const id = await jobs.submit(['storage://film']);
      await jobs.plan(id, { chunks: 1, facts });
      const job = await jobs.db.manager.findOneByOrFail(JobEntity, { id });
      return (await summary.of(job, await jobs.db.manager.findBy(JobSourceEntity, { jobId: id })))[0]?.info;
    };
    const plain = { fps: 25, resolution: [1280, 720], total_frames: 1000, duration: 40 };
    expect(await infoOf()).toEqual(plain);
    const gaps = { count: 70, seconds: 900.5, longest: [{ from: 5, to: 25.4 }] };
    expect(await infoOf(filmFacts({ gaps }))).toEqual({
      ...plain,
      gaps: [{ time_start: 5, time_end: 25.4 }],
      gap_count: 70,
      gap_seconds: 900.5,
    });
  });
});
