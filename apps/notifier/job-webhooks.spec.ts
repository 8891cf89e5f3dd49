import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusContext } from '@adit/bus';
import {
  AditError,
  DetailedResult,
  Job,
  RESOURCE_EVENT_DATA,
  webhookBody,
  WORKSPACE_EVENT_MESSAGE_VERSION,
  type Envelope,
  type Payload,
} from '@adit/contracts';
import {
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  openDatabase,
  SegmentEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { loadModules } from '@adit/modules';
import { AddressPolicy } from '@adit/net';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { Sender, storeDeliveries, type NewDelivery } from '@adit/webhooks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { NotifierConfig } from './config.js';
import { Dispatcher } from './dispatcher.js';
import { EventsHandler } from './events.handler.js';
import { JobWebhooks } from './job-webhooks.js';
import { ResourceWebhooks } from './resource-webhooks.js';
import { Receiver } from './testing/receiver.js';
import { WorkspaceSecrets } from './workspace-secrets.js';

const callback = 'https://example.org/hook';
const workspaceId = randomUUID();

describe('webhook messages of a job', () => {
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: ObjectStore;
  let webhooks: JobWebhooks;

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    folder = await mkdtemp(join(tmpdir(), 'adit-notifier-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    objects = await FilesystemObjectStore.open(folder);
    const config = NotifierConfig.parse({ publicUrl: 'https://adit.example.org' });
    webhooks = new JobWebhooks(database.dataSource, objects, await loadModules(), config);
  });
  afterAll(async () => {
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true });
  });

  /** Submits a job that waits, posted under an alias of its module. */
  async function newJob(events: string[] | null, to = callback): Promise<string> {
    const { manager } = database.dataSource;
    const jobId = randomUUID();
    const source = 'storage://a';
    await manager.insert(JobEntity, {
      ...{ id: jobId, workspaceId, tag: '', state: 'waiting', priority: 5, rank: 4, mediaType: 'image' },
      ...{ webhook: events === null ? null : { events, callback: to } },
    });
    await manager.insert(
      JobModuleEntity,
      columns<JobModuleEntity>({
        ...{ jobId, moduleId: 'face_recognition', postedAs: 'faces', position: 0, args: { top_k: 3 }, range: null },
        ...{ models: [], analyses: {}, state: 'waiting' },
      }),
    );
    await manager.insert(JobSourceEntity, { jobId, index: 0, uri: source, state: 'planned' });
    return jobId;
  }

  /** Changes the job and returns the messages of the change. */
  async function messages(jobId: string, work: (job: LockedJob) => Promise<void>): Promise<Envelope[]> {
    await database.dataSource.transaction(async (manager) => work((await LockedJob.take(manager, jobId))!));
    const rows: { envelope: Envelope }[] = await database.dataSource.query(
      `SELECT envelope FROM outbox WHERE topic = 'events.raised' ORDER BY id`,
    );
    await database.dataSource.query('DELETE FROM outbox');
    return rows.map(({ envelope }) => envelope);
  }

  async function deliveries(envelopes: Envelope[]): Promise<NewDelivery[]> {
    const found = await Promise.all(
      envelopes.map((envelope) => webhooks.deliveriesOf(envelope.payload as Payload<'events.raised'>, envelope)),
    );
    return found.flat();
  }

  it('are those it subscribed to, under the names as posted, with the job as it was', async () => {
    const jobId = await newJob(['job.on_started', 'job.faces.on_failed', 'job.on_failed']);
    const sent = await messages(jobId, (job) => job.apply({ kind: 'opened' }));
    const failed = await messages(jobId, async (job) => {
      await job.failModule('face_recognition', 'no such model');
      await job.apply({ kind: 'finished' });
    });
    // The event is stored long after it happened: the row is failed by now.
    const noted = await deliveries([...sent, ...failed]);
    expect(noted.map(({ event }) => event)).toEqual(['job.on_started', 'job.faces.on_failed', 'job.on_failed']);
    for (const delivery of noted) {
      expect(delivery).toMatchObject({ jobId, subscription: `job:${jobId}`, signer: workspaceId, url: callback });
      expect(delivery.orderKey).toBe(jobId);
      expect(Object.keys(delivery.data)).toEqual(['job']);
    }
    const [started, moduleFailed, jobFailed] = noted.map(({ data }) => Job.parse(data['job']));
    expect(started).toMatchObject({
      ...{ state: 'processing', errors: [], time_completed: null },
      // A job starts before its modules.
      modules: { faces: { state: 'waiting', top_k: 3 } },
      result: { detailed_link: `https://adit.example.org/api/v1/jobs/${jobId}/detailed-results/` },
    });
    const { timeStarted } = await database.dataSource.manager.findOneByOrFail(JobEntity, { id: jobId });
    const happened = Date.parse(sent[0]!.occurredAt);
    expect(started!.duration).toBeCloseTo(Math.max(0, happened - timeStarted!.getTime()) / 1000, 3);
    expect(moduleFailed).toMatchObject({ state: 'processing', modules: { faces: { state: 'failed' } } });
    expect(jobFailed).toMatchObject({ state: 'failed', errors: ['faces: no such model'] });
    // A duplicate message has the same facts.
    expect((await deliveries(failed)).map(({ fact }) => fact)).toEqual(noted.slice(1).map(({ fact }) => fact));
  });

  it('also go to webhooks of its workspace that subscribe, whatever the job subscribes to itself', async () => {
    const { manager } = database.dataSource;
    const secret = 'a secret';
    const asking = {
      id: randomUUID(),
      workspaceId,
      event: 'svc.job.on_failed',
      url: 'https://example.org/all',
      secret,
    };
    await manager.insert(WebhookEntity, asking);
    await manager.insert(WebhookEntity, { ...asking, id: randomUUID(), workspaceId: randomUUID() });
    await manager.insert(WebhookEntity, { ...asking, id: randomUUID(), event: 'svc.job.on_stopped', enabled: false });
    const fail = async (job: LockedJob): Promise<void> => {
      await job.apply({ kind: 'opened' });
      await job.failModule('face_recognition', 'no such model');
      await job.apply({ kind: 'finished' });
    };
    const [alone, asked] = [await newJob(null), await newJob(['job.on_failed'])];
    const sent = await messages(alone, fail);
    // No webhook subscribes to its start or to its module.
    const names = sent.map(({ payload }) => (payload as Payload<'events.raised'>).event);
    expect(names.filter((name) => name.startsWith('svc.'))).toEqual(['svc.job.on_failed']);
    // Builds that would send it to the callback of the job leave it to newer ones.
    expect(sent.find((_, at) => names[at]!.startsWith('svc.'))!.version).toBe(WORKSPACE_EVENT_MESSAGE_VERSION);
    const [delivery, ...more] = await deliveries(sent);
    expect(more).toEqual([]);
    const { id: signer, event, url } = asking;
    const subscription = `webhook:${signer}`;
    expect(delivery).toMatchObject({ signer, event, url, subscription, jobId: alone, orderKey: null });
    const body = { event, id: randomUUID(), timestamp: delivery!.timestamp, data: delivery!.data, hmac_signature: '' };
    expect(webhookBody(event, RESOURCE_EVENT_DATA['svc.job.on_failed']).parse(body)).toMatchObject({
      data: { job: { id: alone, state: 'failed', errors: ['faces: no such model'] } },
    });
    const both = await deliveries(await messages(asked, fail));
    expect(both.map(({ url: to }) => to).sort()).toEqual([url, callback]);

    await manager.delete(WebhookEntity, { event });
    const none = await messages(await newJob(null), fail);
    expect(JSON.stringify(none)).not.toContain('svc.');
  });

  /** @hardening scale: Every message carries the addresses of all sources */
  it('show the first hundred of ten thousand sources, and the number and address of all', async () => {
    const jobId = await newJob(['job.on_started']);
    const { manager } = database.dataSource;
    await manager.query(
      `INSERT INTO job_sources (job_id, index, uri, state)
       SELECT $1, at, 'https://example.org/' || at || repeat('x', 200), 'waiting' FROM generate_series(1, 9999) at`,
      [jobId],
    );
    const sent = await messages(jobId, async (job) => {
      expect(JSON.stringify(job.job).length).toBeLessThan(4_000);
      await job.apply({ kind: 'opened' });
    });
    expect(JSON.stringify(sent).length).toBeLessThan(4_000);
    const [delivery] = await deliveries(sent);
    const shown = Job.parse(delivery!.data['job']);
    expect(shown).toMatchObject({ source_count: 10_000, link: `https://adit.example.org/api/v1/jobs/${jobId}/` });
    expect(shown.sources).toHaveLength(100);
    expect(JSON.stringify(delivery).length).toBeLessThan(50_000);
  });

  it('are none without a webhook: bus messages are unchanged, and the database is not queried', async () => {
    const jobId = await newJob(null);
    const sent = await messages(jobId, async (job) => {
      await job.apply({ kind: 'opened' });
      job.noteSegments(Object.assign(job.modules[0]!, { segmentCount: 3 }), 0);
      await job.flush();
    });
    expect(sent.map(({ payload }) => payload)).toEqual([
      { event: 'job.on_started', data: { state: 'processing' } },
      { event: 'job.faces.on_started', data: { module: 'faces', state: 'processing' } },
    ]);
    const asking = new JobWebhooks(null as never, null as never, null as never, null as never);
    for (const envelope of sent) {
      expect(await asking.deliveriesOf(envelope.payload as Payload<'events.raised'>, envelope)).toEqual([]);
    }
  });

  it('have one segment each, with its picture', async () => {
    const jobId = await newJob(['job.faces.on_detailed_result']);
    await objects.put('pictures/one.jpg', Buffer.from('jpeg'));
    const segment = (moduleSeq: number): Partial<SegmentEntity> => ({
      ...{ jobId, seq: moduleSeq, moduleId: 'face_recognition', moduleSeq, sourceIndex: 0, frameStart: 0, frameEnd: 0 },
      ...{ timeStart: 0, timeEnd: 0, type: 'face', label: `person ${moduleSeq}`, confidence: 0.9, detections: [] },
      ...{ meta: { person: `person ${moduleSeq}` }, keyFrame: null },
      thumbnail: moduleSeq === 2 ? { key: 'pictures/one.jpg', width: 4, height: 5 } : null,
    });
    const { manager } = database.dataSource;
    await manager.insert(
      SegmentEntity,
      [0, 1, 2, 3].map((number) => columns<SegmentEntity>(segment(number))),
    );
    const sent = await messages(jobId, (job) => {
      job.noteSegments(Object.assign(job.modules[0]!, { segmentCount: 3 }), 1);
      return job.flush();
    });
    const noted = await deliveries(sent);
    expect(noted.map(({ event }) => event)).toEqual(Array(2).fill('job.faces.on_detailed_result'));
    expect(new Set(noted.map(({ fact }) => fact)).size).toBe(2);
    expect(noted.map(({ orderKey }) => orderKey)).toEqual([null, null]);
    const results = noted.map(({ data }) => DetailedResult.parse(data['detailed_result']));
    expect(results.map(({ meta }) => meta['person'])).toEqual(['person 1', 'person 2']);
    expect(results.map(({ thumbnail }) => thumbnail)).toEqual([
      null,
      { image: Buffer.from('jpeg').toString('base64'), meta: { width: 4, height: 5 } },
    ]);
  });

  it('wait while the object store is unavailable, and come without a missing picture', async () => {
    const jobId = await newJob(['job.faces.on_detailed_result']);
    const segment: Partial<SegmentEntity> = {
      ...{ jobId, seq: 0, moduleId: 'face_recognition', moduleSeq: 0, sourceIndex: 0, frameStart: 0, frameEnd: 0 },
      ...{ timeStart: 0, timeEnd: 0, type: 'face', label: 'Ada', confidence: 0.9, detections: [], keyFrame: null },
      ...{ meta: { person: 'Ada' }, thumbnail: { key: 'pictures/erased.jpg', width: 4, height: 5 } },
    };
    await database.dataSource.manager.insert(SegmentEntity, columns<SegmentEntity>(segment));
    const sent = await messages(jobId, (job) => {
      job.noteSegments(Object.assign(job.modules[0]!, { segmentCount: 1 }), 0);
      return job.flush();
    });
    const read = jest.spyOn(objects, 'read').mockRejectedValueOnce(new AditError('UNAVAILABLE', '503'));
    // The bus redelivers it.
    await expect(deliveries(sent)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    read.mockRestore();
    const [delivery] = await deliveries(sent);
    expect(delivery!.data['detailed_result']).toMatchObject({ meta: { person: 'Ada' }, thumbnail: null });
  });

  it('are not lost while the receiver is down for an hour: every event arrives afterwards, under the same id', async () => {
    const { dataSource } = database;
    await dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'w', signingSecret: 'a secret' });
    const receiver = await Receiver.start();
    let clock = new Date('2026-03-01T12:00:00Z');
    const pass = (minutes: number): void => void (clock = new Date(clock.getTime() + minutes * 60_000));
    const policy = { allowHttp: true, addresses: new AddressPolicy(['127.0.0.1/32']) };
    const sender = new Sender({ policy, timeoutSeconds: 2 });
    const options = { timeoutSeconds: 2, concurrency: 32, perReceiver: 8, now: () => clock };
    const dispatcher = new Dispatcher(dataSource, sender, [new WorkspaceSecrets(dataSource)], options);
    const handler = new EventsHandler(dataSource, webhooks, new ResourceWebhooks(dataSource, {}), dispatcher);
    const settled = (): Promise<void> => {
      dispatcher.nudge();
      return dispatcher.idle();
    };
    const factOf = ({ body }: Receiver['received'][number]): string =>
      `${(body['data'] as { job: Job }).job.id} ${String(body['event'])}`;
    try {
      receiver.answer = () => 503;
      const raised: string[] = [];
      for (let round = 0; round < 12; round += 1, pass(5)) {
        const jobId = await newJob(['job.on_started', 'job.faces.on_failed', 'job.on_failed'], receiver.url);
        const sent = await messages(jobId, async (job) => {
          await job.apply({ kind: 'opened' });
          await job.failModule('face_recognition', 'no such model');
          await job.apply({ kind: 'finished' });
        });
        for (const envelope of sent) {
          // The bus delivers at least once.
          for (let time = 0; time < 2; time += 1) {
            await handler.raised(envelope.payload as Payload<'events.raised'>, { envelope } as BusContext);
          }
        }
        raised.push(...['job.on_started', 'job.faces.on_failed', 'job.on_failed'].map((event) => `${jobId} ${event}`));
        await settled();
      }
      const down = receiver.received.length;
      const idsDown = new Map(receiver.received.map((request) => [factOf(request), request.id]));
      expect([...idsDown.keys()].sort()).toEqual([...raised].sort());
      receiver.answer = () => 200;
      for (let hours = 0; hours < 4; hours += 1, pass(60)) await settled();
      const after = receiver.received.slice(down);
      expect(after).toHaveLength(raised.length);
      expect(new Map(after.map((request) => [factOf(request), request.id]))).toEqual(idsDown);
      const rows = await dataSource.manager.find(WebhookDeliveryEntity);
      expect(rows.map(({ state }) => state)).toEqual(raised.map(() => 'delivered'));
    } finally {
      await dispatcher.stop();
      await receiver.close();
    }
  });

  it('show nobody who was erased since they were made', async () => {
    const { dataSource } = database;
    const jobId = await newJob(['job.faces.on_detailed_result', 'job.on_completed']);
    await objects.put('pictures/anna.jpg', Buffer.from('anna'));
    const [collection, indexId] = [randomUUID(), '4821093375'];
    const anna = async () => {
      await dataSource.query(
        `INSERT INTO index_collections (id, workspace_id, name) VALUES ($1, $2, 'archive') ON CONFLICT DO NOTHING`,
        [collection, workspaceId],
      );
      await dataSource.query(
        `INSERT INTO index_identities (index_id, collection_id, workspace_id, label, centroid, members, revision)
         VALUES ($1, $2, $3, 'Anna Weber', '{1}', 1, 1)`,
        [indexId, collection, workspaceId],
      );
    };
    const erase = () => dataSource.query('DELETE FROM index_identities WHERE index_id = $1', [indexId]);
    const stored = async (): Promise<string[]> =>
      (await dataSource.query('SELECT data FROM webhook_deliveries WHERE job_id = $1', [jobId])).map(
        ({ data }: { data: string }) => data,
      );
    await anna();
    await dataSource.manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({
        ...{ jobId, seq: 0, moduleId: 'face_recognition', moduleSeq: 0, sourceIndex: 0, frameStart: 0, frameEnd: 0 },
        ...{ timeStart: 0, timeEnd: 0, type: 'face', label: 'unknown', confidence: 0.9, detections: [] },
        ...{ meta: { person: 'unknown', indexed_identity: null }, keyFrame: null, indexId },
        thumbnail: { key: 'pictures/anna.jpg', width: 4, height: 5 },
      }),
    );
    const items = [{ type: 'face', label: 'unknown', module: 'face_recognition', index_id: indexId }];
    const summary = [{ source: 'storage://a', media_type: 'image', info: {}, items }];
    await dataSource.query('UPDATE jobs SET summary = $2 WHERE id = $1', [jobId, JSON.stringify(summary)]);
    const sent = await messages(jobId, (job) => {
      job.noteSegments(Object.assign(job.modules[0]!, { segmentCount: 1 }), 0);
      return job.flush();
    });
    const made = await deliveries(sent);
    const picture = Buffer.from('anna').toString('base64');
    expect(made.map(({ data }) => JSON.stringify(data))).toEqual([expect.stringContaining('Anna Weber')]);
    expect(JSON.stringify(made)).toContain(picture);
    await erase();
    expect([await storeDeliveries(dataSource, made, new Date()), await stored()]).toEqual([null, []]);
    // The person is erased while the event is handled.
    await anna();
    const attempts: NewDelivery[][] = [];
    const erasing = {
      async deliveriesOf(...asked: Parameters<JobWebhooks['deliveriesOf']>) {
        attempts.push(await webhooks.deliveriesOf(...asked));
        await erase();
        return attempts.at(-1)!;
      },
    };
    const dispatcher = { clock: null, nudge: () => undefined };
    const handler = new EventsHandler(
      ...([dataSource, erasing as unknown as JobWebhooks, new ResourceWebhooks(dataSource, {})] as const),
      dispatcher as unknown as Dispatcher,
    );
    for (const envelope of sent)
      await handler.raised(envelope.payload as Payload<'events.raised'>, { envelope } as BusContext);
    expect(attempts).toHaveLength(2);
    const [noted = '', ...more] = await stored();
    expect(more).toEqual([]);
    expect(noted).toContain('"person":"unknown"');
    expect(noted).not.toContain('Anna Weber');
    expect(noted).not.toContain(picture);
  });

  it('are none once the job is deleted', async () => {
    const jobId = await newJob(['job.on_started']);
    const sent = await messages(jobId, (job) => job.apply({ kind: 'opened' }));
    await database.dataSource.manager.update(JobEntity, { id: jobId }, { timeDeleted: new Date() });
    expect(await deliveries(sent)).toEqual([]);
  });
});
