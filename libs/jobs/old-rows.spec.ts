/** @needs ffmpeg */
import { randomUUID } from 'node:crypto';
import { ChunkEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jobInsertion } from './commands/insert-job.js';
import { failSource } from './chunks/source-plan.js';
import { faces, JobsUnderTest } from './testing/jobs-under-test.js';
import * as old from './testing/statements-of-0.1.0.js';
import { claimAttempt, leasedSource } from '@adit/leases';

/** During a rolling upgrade each build reads rows of the other. */
describe('two builds on one database', () => {
  let jobs: JobsUnderTest;
  const digest = 'a'.repeat(64);
  const sources = ['storage://film', 'storage://another'];

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  const asked = (topic: string, jobId: string) => jobs.bus.of(topic, jobId).map(({ envelope }) => envelope.payload);

  it('the newer one continues a job that the older one has written', async () => {
    const jobId = randomUUID();
    // Builds of 0.1.0 named the job's own columns as SQL does.
    const { workspaceId, mediaType, batchId, ...others } = JSON.parse(
      jobInsertion(jobId, jobs.order(sources)).text,
    ) as {
      [name: string]: unknown;
    };
    const row = { workspace_id: workspaceId, media_type: mediaType, batch_id: batchId, ...others };
    await jobs.db.query(old.INSERT_JOBS, [JSON.stringify([row])]);
    await jobs.settled();
    expect(asked('jobs.submitted', jobId)).toEqual([{}]);
    expect(asked('sources.requested', jobId)).toEqual([{ sourceIndex: 0 }]);
    await jobs.openFilm(jobId, digest);
    await jobs.settled();
    expect(asked('chunks.requested', jobId)).not.toEqual([]);
    await jobs.commands.stop(jobs.workspaceId, jobId);
    await jobs.commands.retry(jobs.workspaceId, jobId);
    await jobs.commands.delete(jobs.workspaceId, jobId);
  });

  it('the newer one handles repeated requests of the older one soon after an attempt', async () => {
    const jobId = await jobs.submit(sources);
    await jobs.settled();
    const source = leasedSource(jobId, 0);
    expect(await claimAttempt(jobs.db, source, 60)).toMatchObject({ attempt: 1 });
    // The chunk is in progress.
    expect(await claimAttempt(jobs.db, source, 60)).toBeNull();
    await jobs.locked(jobId, (job) => failSource(job.manager, job, 0, 'no media'));
    await jobs.db.query(`UPDATE job_sources SET state = 'waiting', attempts = 0 WHERE job_id = $1 AND index = 0`, [
      jobId,
    ]);
    await jobs.db.query(old.GIVE, [jobId, 1, new Date(Date.now() + 300_000), 1]);
    expect(await claimAttempt(jobs.db, source, 60)).toMatchObject({ attempt: 1 });
  });

  /** @hardening jobs: A build cannot read messages and rows of the next one */
  it('the newer one leaves the columns of the older one, and lets it write', async () => {
    const jobId = await jobs.submit(sources);
    const candidates = await jobs.db.query(old.CANDIDATES, [8]);
    expect(candidates).toMatchObject([{ id: jobId, waiting_sources: 2, in_flight: 0, admitted: false }]);
    const [given] = await jobs.db.query(old.GIVE, [jobId, 1, new Date(), 1]);
    expect(given).toEqual({ chunks: [], sources: [0] });
    await jobs.openFilm(jobId, digest);
    await jobs.db.query(old.GIVE, [jobId, 1, new Date(), 0]);
    const chunk = await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId, state: 'requested' });
    const [task] = await jobs.db.query(old.TASK, [chunk.id]);
    // The older build reads addresses from the job's row.
    expect(task.job).toMatchObject({ id: jobId, state: 'processing', sources });
    expect(task.sources).toMatchObject([{ index: 0, state: 'planned', mediaDigest: digest }]);
    expect(task.modules).toEqual([{ state: 'processing', range: null, analyses: { faces: faces.digest } }]);
    expect(task.analyses).toMatchObject([{ digest: faces.digest, frames: faces.frames, args: faces.args }]);
    const decoded = [jobId, chunk.id, 'decoded', '{}', [faces.digest], new Date()];
    expect(await jobs.db.query(old.DECODED, decoded)).toEqual([{ live: true }]);
    const [work] = await jobs.db.query(old.WORK, [chunk.id, faces.digest]);
    expect(work).toMatchObject({
      keepCache: true,
      job: { id: jobId },
      chunk: { id: chunk.id, interval: chunk.interval },
    });
    expect(work.request).toMatchObject({ analysis: 'faces', digest: faces.digest, models: [] });
    expect(work.units).toMatchObject([{ sourceIndex: 0, mediaDigest: digest, facts: { kind: 'video' } }]);
  });
});
