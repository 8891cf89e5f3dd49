/** @needs ffmpeg */
import { ChunkAnalysisEntity, ChunkEntity } from '@adit/database';
import { InstallationLease } from '@adit/leases';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { faces, JobsUnderTest, things } from '../testing/jobs-under-test.js';

describe('the reconciler', () => {
  let jobs: JobsUnderTest;

  beforeAll(async () => {
    jobs = await JobsUnderTest.start();
  });
  beforeEach(() => jobs.reset());
  afterAll(() => jobs.close());

  const MODULES = { face_recognition: faces, object_scene_recognition: things };
  /** Inserts a film of four chunks, of which two are requested. */
  const begun = async (): Promise<{ jobId: string; ids: string[] }> => {
    const jobId = (await jobs.commands.submit(jobs.order(undefined, null, MODULES))).job.id;
    await jobs.settled();
    await jobs.openFilm(jobId, 'a'.repeat(64));
    await jobs.settled();
    return { jobId, ids: (await chunksOf(jobId)).map(({ id }) => id) };
  };
  const chunksOf = (jobId: string) =>
    jobs.db.manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } });
  const statesOf = async (jobId: string) => (await chunksOf(jobId)).map(({ state }) => state);
  const set = async (
    chunkId: string,
    state: ChunkEntity['state'],
    analyses: Record<string, ChunkAnalysisEntity['state']>,
  ): Promise<void> => {
    const lease = { leaseUntil: null, runningUntil: null };
    await jobs.db.manager.update(ChunkEntity, { id: chunkId }, { state, ...lease });
    for (const [digest, its] of Object.entries(analyses))
      await jobs.db.manager.update(ChunkAnalysisEntity, { chunkId, digest }, { state: its, ...lease });
  };

  it('requests again chunks and analyses whose lease has run out, once, and no others', async () => {
    const { jobId, ids } = await begun();
    await set(ids[1]!, 'decoded', { [faces.digest]: 'requested', [things.digest]: 'requested' });
    const leases = (seconds: number) =>
      Promise.all([
        jobs.db.query('UPDATE chunks SET lease_until = now() + make_interval(secs => $2) WHERE id = $1', [
          ids[0],
          seconds,
        ]),
        jobs.db.query(
          'UPDATE chunk_analyses SET lease_until = now() + make_interval(secs => $3) WHERE chunk_id = $1 AND digest = $2',
          [ids[1], faces.digest, seconds],
        ),
      ]);
    const topics = ['chunks.requested', 'analyses.faces.requested', 'analyses.objects.requested'];
    const asked = () => topics.map((topic) => jobs.bus.of(topic, jobId).length);
    await leases(3_600);
    await jobs.reconciler.run();
    await jobs.settled();
    expect(asked()).toEqual([2, 0, 0]);
    await leases(0);
    for (let round = 0; round < 2; round++) {
      await jobs.reconciler.run();
      await jobs.settled();
    }
    expect(asked()).toEqual([3, 1, 0]);
    expect(jobs.bus.of('chunks.requested', jobId)[2]!.envelope.payload).toEqual({ chunkId: ids[0] });
    // The key differs from the one before: the former process may be dead.
    const [again] = jobs.bus.of('analyses.faces.requested', jobId);
    expect(again!.envelope.payload).toEqual({ chunkId: ids[1], analysisDigest: faces.digest });
    expect(again!.key).not.toBe(ids[1]);
  });

  it('ends a chunk whose analyses have ended, when the process that should end it died', async () => {
    const { jobId, ids } = await begun();
    await set(ids[0]!, 'decoded', { [faces.digest]: 'done', [things.digest]: 'failed' });
    await set(ids[1]!, 'decoded', { [faces.digest]: 'done', [things.digest]: 'requested' });
    await jobs.settled();
    expect(await statesOf(jobId)).toEqual(['decoded', 'decoded', 'planned', 'planned']);
    await jobs.reconciler.recover();
    await jobs.settled();
    expect(await statesOf(jobId)).toEqual(['done', 'decoded', 'requested', 'planned']);
  });

  it('has a chunk decoded again when an analysis waited again as it ended, for a running module', async () => {
    const { jobId, ids } = await begun();
    await set(ids[0]!, 'done', { [faces.digest]: 'waiting', [things.digest]: 'done' });
    await set(ids[1]!, 'done', { [faces.digest]: 'done', [things.digest]: 'waiting' });
    await jobs.locked(jobId, (job) => job.failModule('object_scene_recognition', 'no weights'));
    await jobs.reconciler.run();
    await jobs.settled();
    expect(await statesOf(jobId)).toEqual(['requested', 'done', 'requested', 'planned']);
    // One chunk waits only for a module that has ended, in a process that died; one is being analysed for such a
    // module.
    await set(ids[0]!, 'decoded', { [faces.digest]: 'done', [things.digest]: 'waiting' });
    await set(ids[1]!, 'decoded', { [faces.digest]: 'done', [things.digest]: 'requested' });
    await jobs.reconciler.run();
    expect((await statesOf(jobId)).slice(0, 2)).toEqual(['done', 'decoded']);
  });

  it('lets a process that is alone find completed work that its former life never reported', async () => {
    const rows = [
      ['answered', 200, new Date()],
      ['done', null, new Date()],
      ['begun', null, null],
    ];
    for (const [key, status, timeDone] of rows) {
      await jobs.db.query(
        `INSERT INTO idempotency_keys (workspace_id, key, request_digest, status, time_done, time_expires)
         VALUES ($1, $2, 'a', $3, $4, now() + interval '1 minute')`,
        [jobs.workspaceId, key, status, timeDone],
      );
    }
    await jobs.reconciler.recover();
    const left = await jobs.db.query('SELECT key, time_expires <= now() AS free FROM idempotency_keys ORDER BY key');
    expect(left).toEqual([
      { key: 'answered', free: false },
      { key: 'done', free: true },
    ]);
  });

  it('lets a process that is alone resume at once the work of its former life', async () => {
    expect(await new InstallationLease(jobs.db, 'sweeper', 300).take()).toBe(true);
    await jobs.reconciler.recover();
    expect(await new InstallationLease(jobs.db, 'sweeper', 300).take()).toBe(true);
  });
});
