/** @needs ffmpeg */
import { ChunkAnalysisEntity, ChunkEntity } from '@adit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { faces, JobsUnderTest } from '../testing/jobs-under-test.js';
import { decodedChunk, deferAnalysis, endAnalysis, finishChunk, redecode, setAnalysed } from './chunk-states.js';
import { analysisRequest } from './requests.js';

const digest = faces.digest;

describe('transitions of a chunk', () => {
  let jobs: JobsUnderTest;
  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  /** First chunk of a film, dispatched. */
  async function requested(): Promise<{ jobId: string; id: string }> {
    const jobId = await jobs.submit();
    await jobs.settled();
    await jobs.openFilm(jobId, '9'.repeat(64));
    await jobs.settled();
    const { id } = await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId, position: 0 });
    return { jobId, id };
  }
  const decoded = async (chunk: { jobId: string; id: string }) => {
    const { jobId, id: chunkId } = chunk;
    const messages = [analysisRequest({ jobId, traceparent: null }, { chunkId, analysis: 'faces', digest })];
    const statement = decodedChunk({ ...chunk, packs: {}, digests: [digest], leaseSeconds: 60, messages });
    const [outcome] = await jobs.outbox.statement<{ live: boolean }>(...statement);
    await jobs.outbox.idle();
    return outcome?.live;
  };
  const statesOf = async (chunkId: string) => {
    const chunk = await jobs.db.manager.findOneByOrFail(ChunkEntity, { id: chunkId });
    const analysis = await jobs.db.manager.findOneByOrFail(ChunkAnalysisEntity, { chunkId, digest });
    return [chunk.state, analysis.state];
  };

  it('a chunk is decoded, analysed and done, and a duplicate outcome is recorded once', async () => {
    const chunk = await requested();
    expect(await statesOf(chunk.id)).toEqual(['requested', 'waiting']);
    expect(await decoded(chunk)).toBe(true);
    expect(await statesOf(chunk.id)).toEqual(['decoded', 'requested']);
    expect(jobs.bus.of('analyses.faces.requested', chunk.jobId)).toHaveLength(1);
    expect(await finishChunk(jobs.db, chunk.id)).toBe(false);
    const outcome = { jobId: chunk.jobId, chunkId: chunk.id, digest };
    expect(await setAnalysed(jobs.db, outcome, [])).toEqual({ live: true, recorded: true });
    expect(await setAnalysed(jobs.db, outcome, [])).toEqual({ live: true, recorded: false });
    expect(await finishChunk(jobs.db, chunk.id)).toBe(true);
    expect(await statesOf(chunk.id)).toEqual(['done', 'done']);
    const failed = { state: 'failed' as const, units: null, error: 'late' };
    expect(await endAnalysis(jobs.db.manager, outcome, failed)).toBe(false);
    await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId: chunk.id }, { state: 'waiting' });
    expect(await endAnalysis(jobs.db.manager, outcome, failed)).toBe(true);
  });

  it('a chunk whose packs are lost is planned again, and so is an analysis that waits again meanwhile', async () => {
    const chunk = await requested();
    await decoded(chunk);
    await redecode(jobs.db.manager, chunk.id);
    expect(await statesOf(chunk.id)).toEqual(['planned', 'waiting']);
    await jobs.settled();
    await decoded(chunk);
    await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId: chunk.id }, { state: 'waiting' });
    expect(await finishChunk(jobs.db, chunk.id)).toBe(true);
    expect(await statesOf(chunk.id)).toEqual(['planned', 'waiting']);
  });

  it('nothing is recorded for a job that has ended', async () => {
    const chunk = await requested();
    await jobs.locked(chunk.jobId, (job) => job.apply({ kind: 'stop' }));
    expect(await decoded(chunk)).toBe(false);
    const outcome = { jobId: chunk.jobId, chunkId: chunk.id, digest };
    expect(await setAnalysed(jobs.db, outcome, [])).toEqual({ live: false, recorded: false });
    expect((await statesOf(chunk.id))[1]).toBe('waiting');
  });

  it('a deferred analysis returns for how long no process could do it', async () => {
    const { jobId, id } = await requested();
    const other = await jobs.db.manager.findOneByOrFail(ChunkEntity, { jobId, position: 1 });
    expect(await deferAnalysis(jobs.db, id, digest)).toBe(0);
    await jobs.db.query(`UPDATE chunk_analyses SET put_off_since = now() - interval '1 hour' WHERE chunk_id = $1`, [
      id,
    ]);
    expect(await deferAnalysis(jobs.db, id, digest)).toBeGreaterThanOrEqual(3_600);
    expect(await deferAnalysis(jobs.db, id, 'another')).toBe(0);
    const [{ since }] = await jobs.db.query('SELECT put_off_since AS since FROM chunk_analyses WHERE chunk_id = $1', [
      other.id,
    ]);
    expect(since).toBeNull();
  });
});
