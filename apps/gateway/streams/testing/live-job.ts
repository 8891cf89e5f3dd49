/** Live streams as a recorder leaves them while it reads, for specs. */
import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { Job } from '@adit/contracts';
import { columns, inTransaction, JobEntity, SegmentEntity } from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { addGap, addSegment, recordingPrefix, StreamClaims, writePosition, type ClaimedStream } from '@adit/streams';
import { sampleMedia } from '@adit/testing';
import type { TestGateway } from '../../testing/gateway.js';

const ENCRYPTION_KEY = 'a key of the specs, long enough to be one';
/** Of the sample picture that a result shows. */
const [WIDTH, HEIGHT] = [320, 180];

export const CAMERA = 'rtsp://camera.example.org/live';
export const BREAK = 'The connection broke off.';

/** A job of a live stream that nobody reads yet. */
export async function postedStream(gateway: TestGateway, order: object = {}): Promise<Job> {
  const answer = await gateway.ask('POST', '/api/v1/jobs/', {
    ...{ sources: [CAMERA], modules: { face_recognition: {} } },
    ...order,
  });
  return Job.parse(answer.json());
}

/** The stream of a job, held as by a recorder. */
export async function claimedStream(gateway: TestGateway, jobId: string): Promise<ClaimedStream> {
  const settings = { streamsPerWorkspace: 1_000, streamsPerRecorder: 1_000, encryptionKey: ENCRYPTION_KEY };
  const claims = new StreamClaims(gateway.db, settings);
  for (let at = 0; at < 100; at++) {
    const stream = await claims.claim(at, 600);
    if (stream?.jobId === jobId) return stream;
  }
  throw new Error('the stream of the job was not there');
}

const write = (gateway: TestGateway): OutboxRelay['transaction'] => {
  const relay = gateway.app.get(OutboxRelay);
  return (work) => relay.transaction(work);
};

/** Notes that the stream was read up to `seconds`, `ago` seconds ago, at 25 pictures a second. */
export async function readUpTo(
  gateway: TestGateway,
  stream: ClaimedStream,
  { seconds, ago = 2, fps = 25 }: { seconds: number; ago?: number; fps?: number },
): Promise<void> {
  const zeroAt = new Date(Date.now() - (seconds + ago) * 1000);
  await write(gateway)(async (manager) => {
    await (await LockedJob.take(manager, stream.jobId))?.apply({ kind: 'opened' });
    const position = { frames: Math.round(seconds * fps), lastUs: seconds * 1e6, nextPosition: seconds };
    await writePosition(manager, stream, { zeroAt, ...position });
  });
}

/** Notes a gap of 11 s. */
export async function broke(gateway: TestGateway, stream: ClaimedStream, atSeconds: number): Promise<void> {
  const timeFrom = new Date(Date.now() - 60_000);
  const gap = { timeFrom, timeTo: new Date(timeFrom.getTime() + 11_000), reason: BREAK };
  await write(gateway)((manager) =>
    addGap(manager, stream, { ...gap, fromUs: atSeconds * 1e6, toUs: (atSeconds + 11) * 1e6 }),
  );
}

/** Notes that a face was found, with the whole picture, at a frame. */
export async function foundFace(gateway: TestGateway, jobId: string, label: string, frame: number): Promise<void> {
  const key = `pictures/${randomUUID()}.jpg`;
  const picture = { key, width: WIDTH, height: HEIGHT };
  await gateway.app.get<ObjectStore>(OBJECT_STORE).put(key, await readFile(String(sampleMedia().faces['audrey'])));
  await inTransaction(gateway.db, async (manager) => {
    const { segmentCount: seq } = await manager.findOneByOrFail(JobEntity, { id: jobId });
    const time = frame / 25;
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        ...{ jobId, seq, moduleId: 'face_recognition', moduleSeq: seq, sourceIndex: 0, type: 'face', label },
        ...{ frameStart: frame - 20, frameEnd: frame + 5, timeStart: time - 0.8, timeEnd: time + 0.2, confidence: 0.9 },
        meta: { person: label },
        detections: [{ frame_index: frame, type: 'face_bbox', data: { x: 0.3, y: 0.2, w: 0.3, h: 0.5 } }],
        ...{ thumbnail: picture, keyFrame: { frame, picture }, identityCollection: null, identityNumber: null },
      }),
    );
    await manager.update(JobEntity, { id: jobId }, { segmentCount: seq + 1 });
  });
}

/** Stores a segment of the recording. */
export async function recordedSegment(gateway: TestGateway, stream: ClaimedStream): Promise<void> {
  const bytes = Buffer.from('the bytes of a segment');
  const objectKey = `${recordingPrefix(stream.jobId)}${randomUUID()}.m4s`;
  await gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, bytes);
  const times = { fromUs: 0, durationUs: 4_000_000, timeStart: new Date(), discontinuity: false };
  await write(gateway)((manager) =>
    addSegment(manager, stream, { objectKey, bytes: bytes.length, ...times, header: Buffer.from('a header') }),
  );
}
