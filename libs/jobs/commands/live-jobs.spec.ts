import { StreamClaims } from '@adit/streams';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JobsUnderTest } from '../testing/jobs-under-test.js';

let jobs: JobsUnderTest;
beforeAll(async () => {
  jobs = await JobsUnderTest.start();
});
beforeEach(() => jobs.reset());
afterAll(() => jobs?.close());

const submit = async (address: string | null = null): Promise<string> => {
  const order = { ...jobs.order(['rtsp://camera.example.org/live']), mediaType: 'videostream' as const };
  return (await jobs.commands.submit({ ...order, live: { address } })).job.id;
};
const streams = (jobId: string): Promise<Record<string, unknown>[]> =>
  jobs.db.query('SELECT state, address, workspace_id, source_index FROM streams WHERE job_id = $1', [jobId]);
const claim = () => new StreamClaims(jobs.db, { streamsPerWorkspace: 8, streamsPerRecorder: 8 }).claim(0, 60);

describe('a job with a live source', () => {
  it('a live job is written with its stream, an ordinary one without', async () => {
    const [live, film] = [await submit('v1.abc'), await jobs.submit()];
    expect(await streams(live)).toEqual([
      { state: 'waiting', address: 'v1.abc', workspace_id: jobs.workspaceId, source_index: 0 },
    ]);
    expect(await streams(film)).toEqual([]);
  });

  it('a live job takes no slot of the scheduler, and none of its workspace', async () => {
    const live = await submit();
    const films = [await jobs.submit(), await jobs.submit(), await jobs.submit()];
    await jobs.settled();
    expect(jobs.bus.of('sources.requested', live)).toEqual([]);
    expect(films.flatMap((id) => jobs.bus.of('sources.requested', id))).toHaveLength(3);
    await jobs.locked(live, (job) => job.apply({ kind: 'opened' }));
    await jobs.db.query('UPDATE jobs SET admitted = true WHERE id = $1', [live]);
    await jobs.settled();
    expect(jobs.bus.of('sources.requested', live)).toEqual([]);
  });

  it('a job whose stream was handed over is opened like any other', async () => {
    const live = await submit();
    await jobs.db.query(`UPDATE streams SET state = 'completed' WHERE job_id = $1`, [live]);
    await jobs.settled();
    expect(jobs.bus.of('sources.requested', live)).toHaveLength(1);
  });

  it('a stop ends its stream, a retry begins it again, a deletion removes it', async () => {
    const live = await submit();
    expect(await claim()).toMatchObject({ jobId: live });
    await jobs.locked(live, (job) => job.apply({ kind: 'opened' }));
    await jobs.commands.stop(jobs.workspaceId, live);
    expect(await streams(live)).toMatchObject([{ state: 'completed' }]);
    expect(await claim()).toBeNull();
    await jobs.commands.retry(jobs.workspaceId, live);
    expect(await claim()).toMatchObject({ jobId: live, attempt: 1 });
    await jobs.commands.delete(jobs.workspaceId, live);
    expect(await streams(live)).toEqual([]);
  });
});
