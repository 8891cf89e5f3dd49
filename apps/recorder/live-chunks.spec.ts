/** @needs servers */
import { randomUUID } from 'node:crypto';
import { frameSpecName, type AudioSpec } from '@adit/contracts';
import { packsPrefix } from '@adit/jobs';
import type { LivePiece } from '@adit/media';
import { StreamClaims } from '@adit/streams';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { faces, JobsUnderTest } from '../../libs/jobs/testing/jobs-under-test.js';
import { LiveChunks } from './live-chunks.js';
import { Backlog } from './thinning.js';

let jobs: JobsUnderTest;
beforeAll(async () => {
  jobs = await JobsUnderTest.start();
});
beforeEach(() => jobs.reset());
afterAll(() => jobs?.close());

const heard: AudioSpec = { sampleRate: 16_000, channels: 1, overlapSeconds: 30 };
const hearing = { ...faces, analysis: 'speech', family: 'speech' as const, digest: '1'.repeat(64), frames: [] };
const [spec] = faces.frames;

/** A second of the stream with one picture. */
function piece(second: number): LivePiece {
  const [frameStart, ptsStart] = [second * 25, second * 1e6];
  const frames = [{ frame: frameStart, pts: ptsStart, time: second, width: 64, height: 36 }];
  return {
    interval: { frameStart, frameEnd: frameStart + 25, ptsStart, ptsEnd: ptsStart + 1e6, seekPts: ptsStart },
    pictures: new Map([[frameSpecName(spec!), { frames, jpegs: [Buffer.from('picture')] }]]),
    arrived: Date.now(),
  };
}

async function packs(jobId: string): Promise<number> {
  let count = 0;
  for await (const _ of jobs.objects.list(packsPrefix(jobId))) count++;
  return count;
}

it('pictures that no module wants any more are not kept, and the stream goes on', async () => {
  const order = jobs.order(['rtsp://camera.example.org/live'], null, {
    face_recognition: faces,
    speech_recognition: { ...hearing, audio: [heard] },
  });
  const { job } = await jobs.commands.submit({ ...order, mediaType: 'videostream', live: { address: null } });
  const stream = await new StreamClaims(jobs.db, { streamsPerWorkspace: 8, streamsPerRecorder: 8 }).claim(0, 60);
  const settings = { leaseSeconds: 60 };
  const deps = { db: jobs.db, outbox: jobs.outbox, objects: jobs.objects, settings };
  const chunks = new LiveChunks({ ...deps, backlog: new Backlog(jobs.db, job.id, 10) }, stream!, [spec!]);
  const audioStreams = [{ stream: 1, codec: 'aac', sampleRate: 48_000, channels: 2 }];
  const facts = { ...filmFacts({ totalFrames: 0, duration: 0 }), audioStreams };
  const store = (second: number) =>
    chunks.store({ id: randomUUID(), piece: piece(second), facts, zeroAt: new Date(), reason: null });

  await store(0);
  expect(await packs(job.id)).toBe(1);
  await jobs.locked(job.id, (locked) => locked.failModule('face_recognition', 'The model is gone.'));
  for (const second of [1, 2, 3]) await store(second);
  // The first one is still to be analysed.
  expect(await packs(job.id)).toBe(1);
  expect(chunks.progress).toMatchObject({ next: 4, lastUs: 4e6 });
});
