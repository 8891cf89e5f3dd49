import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JOB_EVENT_DATA, type Envelope, type Payload } from '@adit/contracts';
import {
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  openDatabase,
  SegmentEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { loadModules } from '@adit/modules';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import type { NewDelivery } from '@adit/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NotifierConfig } from './config.js';
import { JobWebhooks } from './job-webhooks.js';

const workspaceId = randomUUID();

describe('webhook messages of a live job', () => {
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: ObjectStore;
  let webhooks: JobWebhooks;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-notifier-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(folder);
    await database.dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    const config = NotifierConfig.parse({ publicUrl: 'https://adit.example.org' });
    webhooks = new JobWebhooks(database.dataSource, objects, await loadModules(), config);
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true });
  });

  /** A running job, posted under an alias of its module. */
  async function newJob(events: string[]): Promise<string> {
    const { manager } = database.dataSource;
    const jobId = randomUUID();
    await manager.insert(JobEntity, {
      ...{ id: jobId, workspaceId, tag: '', state: 'processing', priority: 5, rank: 4, mediaType: 'videostream' },
      webhook: { events, callback: 'https://example.org/hook' },
    });
    await manager.insert(
      JobModuleEntity,
      columns<JobModuleEntity>({
        ...{ jobId, moduleId: 'face_recognition', postedAs: 'faces', position: 0, args: {}, range: null },
        ...{ models: [], analyses: {}, state: 'processing' },
      }),
    );
    await manager.insert(JobSourceEntity, { jobId, index: 0, uri: 'rtsp://camera.example/', state: 'requested' });
    return jobId;
  }

  /** Changes the job and returns the messages of the change. */
  async function messages(jobId: string, work: (job: LockedJob) => Promise<void>): Promise<Envelope[]> {
    await database.dataSource.transaction(async (manager) => work((await LockedJob.take(manager, jobId))!));
    const rows: { envelope: Envelope }[] = await database.dataSource.query(
      `SELECT envelope FROM outbox WHERE topic = 'events.raised' ORDER BY id`,
    );
    return rows.map(({ envelope }) => envelope);
  }

  async function deliveries(envelopes: Envelope[]): Promise<NewDelivery[]> {
    const found = await Promise.all(
      envelopes.map((envelope) => webhooks.deliveriesOf(envelope.payload as Payload<'events.raised'>, envelope)),
    );
    return found.flat();
  }

  it('tell which segments of a live stream start and end, each in its order', async () => {
    const jobId = await newJob(['job.on_segment_start', 'job.faces.on_segment_end']);
    await objects.put('pictures/open.jpg', Buffer.from('jpeg'));
    const seen = { frameStart: 5, frameEnd: 30, timeStart: 0.2, timeEnd: 1.2, type: 'face', label: 'Ada' };
    const row: Partial<SegmentEntity> = {
      ...{ ...seen, jobId, seq: 0, moduleId: 'face_recognition', moduleSeq: 0, sourceIndex: 0, confidence: 0.9 },
      ...{ meta: { person: 'Ada' }, detections: [], keyFrame: null, thumbnail: null },
    };
    await database.dataSource.manager.insert(SegmentEntity, columns<SegmentEntity>(row));
    const [ada, nothing] = [randomUUID(), randomUUID()];
    const sent = await messages(jobId, (job) => {
      const started = {
        ...{ ...seen, id: ada, sourceIndex: 0, confidence: 0.8, meta: { person: 'Ada' } },
        thumbnail: { key: 'pictures/open.jpg', width: 4, height: 5 },
      };
      const ended = [
        { id: ada, seq: 0 },
        { id: nothing, seq: null, sourceIndex: 0, frame: 9, time: 0.4 },
      ];
      job.noteLiveSegments(job.modules[0]!, [started], ended);
      return job.flush();
    });
    const noted = await deliveries(sent);
    expect(noted.map(({ event, orderKey }) => [event, orderKey])).toEqual([
      ['job.on_segment_start', `${jobId}/${ada}`],
      ['job.faces.on_segment_end', `${jobId}/${ada}`],
      ['job.faces.on_segment_end', `${jobId}/${nothing}`],
    ]);
    const [start, end, dropped] = noted.map(({ event, data }) => {
      const kind = event === 'job.on_segment_start' ? 'job.on_segment_start' : 'job.on_segment_end';
      return JOB_EVENT_DATA[kind].parse(data).segment;
    });
    expect(start).toMatchObject({
      id: ada,
      frame_start: 5,
      meta: { person: 'Ada' },
      thumbnail: { meta: { width: 4 } },
    });
    expect(end).toMatchObject({ id: ada, frame_start: 5, frame_end: 30, meta: { person: 'Ada' } });
    expect(end).not.toHaveProperty('dropped');
    expect(dropped).toMatchObject({ id: nothing, frame_start: 9, time_start: 0.4, dropped: true });
  });
});
