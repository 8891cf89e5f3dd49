import { JobRequest } from '@adit/contracts';
import { JobEntity, JobModuleEntity, JobAnalysisEntity, JobSourceEntity, WorkspaceEntity } from '@adit/database';
import { shownColumns, type ShownRow } from '@adit/presentation';
import {
  addGap,
  lockPart,
  offerStream,
  readStream,
  StreamClaims,
  writePosition,
  type ClaimedStream,
} from '@adit/streams';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { appendLiveChunk, openLiveSource } from '../chunks/live-chunks.js';
import { LockedJob } from '../state/locked-job.js';
import { JobsUnderTest } from '../testing/jobs-under-test.js';
import { beginNextPart } from './next-part.js';

const CAMERA = 'rtsp://camera.example.org/live';
const ZERO = new Date('2026-11-30T12:00:00Z');
const MINUTE = 60_000_000;
const END = { borderUs: MINUTE, extent: { totalFrames: 1500, duration: 60 } };
const settings = { streamsPerWorkspace: 1, streamsPerRecorder: 8, encryptionKey: 'k'.repeat(32) };

let jobs: JobsUnderTest;
beforeAll(async () => {
  jobs = await JobsUnderTest.start();
});
beforeEach(async () => {
  await jobs.reset();
  await jobs.db.query('DELETE FROM streams');
});
afterAll(() => jobs?.close());

const claim = () => new StreamClaims(jobs.db, settings).claim(0, 60);
const expire = () => jobs.db.query(`UPDATE streams SET lease_until = now() - interval '1 second'`);
const row = (id: string): Promise<JobEntity> => jobs.db.manager.findOneByOrFail(JobEntity, { id });
const shown = async (id: string): Promise<ShownRow> => {
  const [job]: [ShownRow] = await jobs.db.query(`SELECT ${shownColumns('listed')} FROM jobs j WHERE j.id = $1`, [id]);
  return job;
};
const streamsOf = (jobId: string): Promise<Record<string, unknown>[]> =>
  jobs.db.query('SELECT * FROM streams WHERE job_id = $1', [jobId]);

const webhook = { callback: 'https://example.org/', events: ['job.on_completed'] };
async function submit(): Promise<string> {
  const order = jobs.order([CAMERA]);
  const request = JobRequest.parse({ ...order.request, webhook, tag: 'door', ttl: 1000, priority: 7 });
  const live = { address: 'v1.abc', rotateSeconds: 60, recordSeconds: 600 };
  return (await jobs.commands.submit({ ...order, request, mediaType: 'videostream', live })).job.id;
}

/** A stream of which a minute was stored, with a gap. */
async function read(stream: ClaimedStream): Promise<void> {
  await jobs.outbox.transaction(async (manager) => {
    const locked = await LockedJob.take(manager, stream.jobId);
    await openLiveSource(manager, locked!, 0, { digest: stream.jobId, facts: { ...filmFacts() } });
    const interval = { frameStart: 0, frameEnd: 1500, ptsStart: 0, ptsEnd: MINUTE, seekPts: 0 };
    const chunk = { sourceIndex: 0, position: 0, extent: { kind: 'video' as const, interval }, packs: {} };
    expect(await appendLiveChunk(manager, stream.jobId, { ...chunk, leaseSeconds: 60 })).not.toBeNull();
    const gap = { fromUs: 1000, toUs: 2000, timeFrom: ZERO, timeTo: ZERO, reason: 'nothing came' };
    expect(await addGap(manager, stream, gap)).toBe(true);
    await writePosition(manager, stream, { zeroAt: ZERO, frames: 1500, lastUs: MINUTE + 400_000, nextPosition: 1 });
  });
}

async function begun(): Promise<ClaimedStream> {
  const id = await submit();
  const stream = await claim();
  expect(stream).toMatchObject({ jobId: id, rotateSeconds: 60 });
  await read(stream!);
  return stream!;
}

/** Begins the next part as a recorder does; returns the stream as it goes on, or null. */
const rotate = (stream: ClaimedStream): Promise<ClaimedStream | null> =>
  jobs.outbox.transaction(async (manager) => {
    const locked = await LockedJob.take(manager, stream.jobId);
    if (locked === null || (await lockPart(manager, stream)) === null) return null;
    if (!(await beginNextPart(manager, locked, stream, END))) return null;
    return readStream(manager, stream, settings);
  });
const rotated = async (stream: ClaimedStream): Promise<ClaimedStream> => {
  const next = await rotate(stream);
  expect(next).not.toBeNull();
  return next!;
};

describe('the next part of a live stream', () => {
  it('is a job of the same order, linked with the one before, whose stream has ended', async () => {
    const stream = await begun();
    const next = await rotated(stream);
    const [former, part] = [await row(stream.jobId), await row(next.jobId)];
    expect([former.nextPart, former.previousPart]).toEqual([part.id, null]);
    expect([part.nextPart, part.previousPart]).toEqual([null, former.id]);
    expect(part).toMatchObject({
      ...{ workspaceId: jobs.workspaceId, tag: 'door', ttl: 1000, priority: 7, rank: 2, webhook, recorded: true },
      ...{ state: 'waiting', mediaType: 'videostream', rotateSeconds: 60, progress: 0, segmentCount: 0, errors: [] },
    });
    const source = (jobId: string) => jobs.db.manager.findOneByOrFail(JobSourceEntity, { jobId });
    expect(await source(former.id)).toMatchObject({ state: 'planned', facts: { totalFrames: 1500, duration: 60 } });
    expect(await source(part.id)).toMatchObject({ state: 'waiting', uri: CAMERA, facts: null });
    for (const [entity, own] of [
      [JobModuleEntity, { state: 'waiting' }],
      [JobAnalysisEntity, {}],
    ] as const) {
      const [before, after] = [former, part].map(({ id: jobId }) => jobs.db.manager.findOneByOrFail(entity, { jobId }));
      expect(await after).toEqual({ ...(await before), jobId: part.id, ...own });
    }
  });

  it('begins anew, under the same lease, and leaves gaps and recording with the part before', async () => {
    const stream = await begun();
    const [before] = await streamsOf(stream.jobId);
    const next = await rotated(stream);
    expect(next.position).toEqual({
      ...{ zeroAt: new Date(ZERO.getTime() + 60_000), frames: 0, lastUs: 400_000, soundUs: 0, nextPosition: 0 },
    });
    expect([next.key, next.token]).toEqual([stream.key, stream.token]);
    const [[former], [part]] = [await streamsOf(stream.jobId), await streamsOf(next.jobId)];
    expect(former).toMatchObject({ state: 'completed', lease_until: null, address: null, frames: before!['frames'] });
    expect(former!['record_secret']).toBe(before!['record_secret']);
    expect(part).toMatchObject({ id: before!['id'], state: 'processing', address: 'v1.abc', record_seconds: 600 });
    expect(part!['record_secret']).not.toBe(before!['record_secret']);
    expect(await jobs.db.query('SELECT job_id FROM stream_gaps WHERE stream_id = $1', [former!['id']])).toEqual([
      { job_id: stream.jobId },
    ]);
    // The workspace may read one stream, which this is.
    await read(next);
    expect(await rotate(next)).not.toBeNull();
  });

  it('is made once: an attempt that is repeated finds the job that has the stream', async () => {
    const stream = await begun();
    const next = await rotated(stream);
    expect(await jobs.outbox.transaction((manager) => lockPart(manager, stream))).toEqual({
      ...{ jobId: next.jobId, isOffered: false },
    });
    expect(await rotate(stream)).toBeNull();
    expect(await jobs.db.query('SELECT id FROM jobs WHERE previous_part = $1', [stream.jobId])).toHaveLength(1);
  });

  it('is not begun before the stream was opened, after it was stopped, or in an erased workspace', async () => {
    const id = await submit();
    const waiting = await claim();
    expect(await rotate(waiting!)).toBeNull();
    await read(waiting!);
    await jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { timeDeleted: new Date() });
    expect(await rotate(waiting!)).toBeNull();
    await jobs.db.manager.update(WorkspaceEntity, { id: jobs.workspaceId }, { timeDeleted: null });
    await jobs.commands.stop(jobs.workspaceId, id);
    expect(await rotate(waiting!)).toBeNull();
    expect(await row(id)).toMatchObject({ nextPart: null });
  });

  it('a recorder that dies before it leaves the part as it is, and behind it a part that another goes on with', async () => {
    const stream = await begun();
    await expect(
      jobs.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, stream.jobId);
        expect(await beginNextPart(manager, locked!, stream, END)).toBe(true);
        throw new Error('it dies');
      }),
    ).rejects.toThrow('it dies');
    await expire();
    const heir = await claim();
    expect(heir).toMatchObject({ jobId: stream.jobId, position: { nextPosition: 1 } });
    expect(await rotate(stream)).toBeNull();

    const next = await rotated(heir!);
    await expire();
    const second = await claim();
    expect(second).toMatchObject({ jobId: next.jobId, position: next.position });
    // The one that was thought dead writes nothing.
    expect(await jobs.outbox.transaction((manager) => lockPart(manager, heir!))).toBeNull();
  });

  it('waits while another recorder takes the stream over', async () => {
    const stream = await begun();
    await offerStream(jobs.db.manager, stream);
    expect(await jobs.outbox.transaction((manager) => lockPart(manager, stream))).toMatchObject({ isOffered: true });
  });

  it('goes on when the part before is deleted, and no link leads there', async () => {
    const stream = await begun();
    const next = await rotated(stream);
    expect(await shown(next.jobId)).toMatchObject({ previousPart: stream.jobId, nextPart: null });
    expect(await shown(stream.jobId)).toMatchObject({ previousPart: null, nextPart: next.jobId });
    await jobs.commands.delete(jobs.workspaceId, stream.jobId);
    expect(await streamsOf(stream.jobId)).toEqual([]);
    expect(await shown(next.jobId)).toMatchObject({ previousPart: null });
    await read(next);
    const third = await rotated(next);
    expect(await shown(third.jobId)).toMatchObject({ previousPart: next.jobId });
  });

  it('is what has to be stopped, not a part before it', async () => {
    const stream = await begun();
    const second = await rotated(stream);
    await read(second);
    const third = await rotated(second);
    for (const { jobId } of [stream, second]) {
      await expect(jobs.commands.stop(jobs.workspaceId, jobId)).rejects.toMatchObject({
        ...{ code: 'CONFLICT', message: expect.stringContaining(third.jobId) },
      });
    }
    await read(third);
    await jobs.commands.stop(jobs.workspaceId, third.jobId);
    await jobs.locked(third.jobId, (job) => job.apply({ kind: 'stop' }));
    await jobs.commands.stop(jobs.workspaceId, second.jobId);
    await expect(jobs.commands.stop(jobs.workspaceId, third.jobId)).rejects.toThrow('already stopped');
  });
});
