import { randomUUID } from 'node:crypto';
import type { BusContext } from '@adit/bus';
import { TOPICS, type Envelope, type Payload } from '@adit/contracts';
import {
  columns,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  openDatabase,
  WebhookDeliveryEntity,
  WebhookEntity,
  type Database,
} from '@adit/database';
import { AddressPolicy } from '@adit/net';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { hmacSignature, raiseResourceEvents, Sender, verifyMessage } from '@adit/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Dispatcher } from './dispatcher.js';
import { EventsHandler } from './events.handler.js';
import { JobWebhooks } from './job-webhooks.js';
import { ResourceWebhooks } from './resource-webhooks.js';
import { Receiver } from './testing/receiver.js';

const MINUTE = 60_000;
const policy = { allowHttp: true, addresses: new AddressPolicy(['127.0.0.1/32']) };
const workspaceId = randomUUID();
let own: SpecDatabase;
let database: Database;
let webhooks: ResourceWebhooks;
let dispatcher: Dispatcher;
let handler: EventsHandler;
let receiver: Receiver;
let clock: Date;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  own = await specDatabase();
  database = await openDatabase(own.settings);
  receiver = await Receiver.start();
  webhooks = new ResourceWebhooks(database.dataSource, { publicUrl: 'https://adit.example.org' });
  const options = { timeoutSeconds: 2, concurrency: 32, perReceiver: 8, now: () => clock };
  dispatcher = new Dispatcher(database.dataSource, new Sender({ policy, timeoutSeconds: 2 }), [webhooks], options);
  const jobs = new JobWebhooks(database.dataSource, null as never, null as never, null as never);
  handler = new EventsHandler(database.dataSource, jobs, webhooks, dispatcher);
});
afterAll(async () => {
  await dispatcher?.stop();
  await receiver?.close();
  await database?.close();
  await own?.drop();
});
beforeEach(async () => {
  clock = new Date('2026-03-01T12:00:00Z');
  receiver.received.length = 0;
  receiver.answer = () => 204;
  for (const table of ['webhooks', 'webhook_deliveries', 'webhook_attempts', 'outbox']) {
    await database.dataSource.query(`DELETE FROM ${table}`);
  }
});

async function newWebhook(more: Partial<WebhookEntity> = {}): Promise<string> {
  const id = randomUUID();
  await database.dataSource.manager.insert(WebhookEntity, {
    ...{ id, workspaceId, event: 'svc.export.on_completed', url: receiver.url, secret: `secret of ${id}` },
    ...more,
  });
  return id;
}

/** Raises the event and runs the bus and the notifier. */
async function raise(data: { export: { id: string } }, times = 1): Promise<void> {
  const { dataSource } = database;
  const event = 'svc.export.on_completed';
  await dataSource.transaction((manager) =>
    raiseResourceEvents(manager, { id: data.export.id, workspaceId }, [{ event, data }]),
  );
  await handOn(times);
}
async function handOn(times = 1): Promise<void> {
  const { dataSource } = database;
  const rows: { envelope: Envelope }[] = await dataSource.query('SELECT envelope FROM outbox');
  await dataSource.query('DELETE FROM outbox');
  for (const { envelope } of rows) {
    const payload: Payload<'events.raised'> = TOPICS['events.raised'].parse(envelope.payload);
    for (let time = 0; time < times; time++) await handler.raised(payload, { envelope } as BusContext);
  }
}
async function settled(): Promise<void> {
  dispatcher.nudge();
  await dispatcher.idle();
}
const rows = (): Promise<WebhookDeliveryEntity[]> => database.dataSource.manager.find(WebhookDeliveryEntity);

describe('the webhooks of a workspace', () => {
  it('receive only their event, each signed with its own secret, once', async () => {
    const [one, two] = [await newWebhook(), await newWebhook()];
    await newWebhook({ event: 'svc.export.on_started' });
    await newWebhook({ workspaceId: randomUUID() });
    await newWebhook({ enabled: false });
    await raise({ export: { id: randomUUID() } }, 2);
    await settled();
    expect(receiver.received).toHaveLength(2);
    const bySigner = await rows();
    for (const { raw, headers, body, id } of receiver.received) {
      const { signer } = bySigner.find((row) => row.id === id)!;
      expect(Object.keys(body)).toEqual(['event', 'id', 'timestamp', 'data', 'hmac_signature']);
      const data = raw.slice(raw.indexOf('"data":') + 7, raw.lastIndexOf(',"hmac_signature":'));
      expect(body['hmac_signature']).toBe(hmacSignature(`secret of ${signer}`, data));
      const verdict = verifyMessage({ secret: `secret of ${signer}`, headers, body: raw, now: clock });
      expect(verdict).toMatchObject({ valid: true });
    }
    expect(bySigner.map(({ signer }) => signer).sort()).toEqual([one, two].sort());
  });

  it('sign with both secrets while two are valid', async () => {
    const formerSecretUntil = new Date(clock.getTime() + 30 * MINUTE);
    await newWebhook({ secret: 'new', formerSecret: 'old', formerSecretUntil });
    await raise({ export: { id: randomUUID() } });
    await settled();
    clock = new Date(clock.getTime() + 31 * MINUTE);
    await raise({ export: { id: randomUUID() } });
    await settled();
    const valid = receiver.received.map(({ raw, headers }, at) =>
      ['new', 'old', 'other'].filter((secret) => {
        const now = new Date(clock.getTime() - (1 - at) * 31 * MINUTE);
        return verifyMessage({ secret, headers, body: raw, now }).valid;
      }),
    );
    expect(valid).toEqual([['new', 'old'], ['new']]);
  });

  it('lose nothing while the receiver is down for an hour: every event arrives afterwards, under the same id', async () => {
    await newWebhook();
    receiver.answer = () => 503;
    const raised = new Set<string>();
    for (let minutes = 0; minutes < 60; minutes += 5) {
      const id = randomUUID();
      raised.add(id);
      await raise({ export: { id } });
      await settled();
      clock = new Date(clock.getTime() + 5 * MINUTE);
    }
    const exportOf = ({ body }: Receiver['received'][number]) => (body['data'] as { export: { id: string } }).export.id;
    const idsDown = new Map(receiver.received.map((request) => [exportOf(request), request.id]));
    expect(new Set(idsDown.keys())).toEqual(raised);
    const down = receiver.received.length;
    receiver.answer = () => 200;
    for (let hours = 0; hours < 4; hours++) {
      await settled();
      clock = new Date(clock.getTime() + 60 * MINUTE);
    }
    const after = receiver.received.slice(down);
    expect(after).toHaveLength(raised.size);
    expect(new Map(after.map((request) => [exportOf(request), request.id]))).toEqual(idsDown);
    expect((await rows()).every(({ state }) => state === 'delivered')).toBe(true);
    expect((await database.dataSource.manager.findOneByOrFail(WebhookEntity, {})).failingSince).toBeNull();
  });

  it('disable one that answers 410, with its pending deliveries, and no other', async () => {
    const dead = await newWebhook();
    const alive = await newWebhook();
    receiver.answer = async ({ id }) => ((await signerOf(id)) === dead ? 410 : 200);
    const signerOf = async (id: string) => (await rows()).find((row) => row.id === id)?.signer;
    await raise({ export: { id: randomUUID() } });
    await settled();
    await raise({ export: { id: randomUUID() } });
    await settled();
    const { manager } = database.dataSource;
    expect(await manager.findOneByOrFail(WebhookEntity, { id: dead })).toMatchObject({ enabled: false });
    expect(await manager.findOneByOrFail(WebhookEntity, { id: alive })).toMatchObject({ enabled: true });
    expect((await rows()).map(({ state }) => state).sort()).toEqual(['delivered', 'delivered', 'gone']);
  });

  describe('with a transcript, whose job comes by reference', () => {
    const event = 'svc.transcript.on_created';
    const raise = async (jobId: string): Promise<void> => {
      const id = randomUUID();
      const data = { transcript: { id, source: 'storage://talk', job: { id: jobId, media_type: 'audio' } } };
      await database.dataSource.transaction((manager) =>
        raiseResourceEvents(manager, { id, workspaceId }, [{ event, data, jobId }]),
      );
    };

    async function heardJob(): Promise<string> {
      const { manager } = database.dataSource;
      const jobId = randomUUID();
      await manager.insert(JobEntity, {
        ...{ id: jobId, workspaceId, tag: 'evening', state: 'completed', priority: 5, rank: 4, mediaType: 'audio' },
        ...{ webhook: { events: [], callback: 'https://newsroom.example.org/job' } },
      });
      await manager.insert(
        JobModuleEntity,
        columns<JobModuleEntity>({
          ...{ jobId, moduleId: 'speech_recognition', postedAs: 'speech_recognition', position: 0, args: {} },
          ...{ range: null, models: [], analyses: {}, state: 'completed' },
        }),
      );
      const uris = Array.from({ length: 100 }, (_, index) => `https://example.org/${index}/${'a'.repeat(4_000)}`);
      await manager.insert(
        JobSourceEntity,
        uris.map((uri, index) => ({ jobId, index, uri, state: 'planned' as const })),
      );
      return jobId;
    }

    it('show all of it', async () => {
      await newWebhook({ event });
      const jobId = await heardJob();
      await raise(jobId);
      await handOn();
      await settled();
      const [{ body }] = receiver.received as [Receiver['received'][number]];
      expect(body['data']).toMatchObject({
        transcript: {
          source: 'storage://talk',
          job: {
            ...{ id: jobId, tag: 'evening', media_type: 'audio', is_synced_to_kg: false, webhook: null },
            ...{ source_count: 100, link: `https://adit.example.org/api/v1/jobs/${jobId}/` },
            sources: expect.arrayContaining([expect.stringContaining('example.org/99/')]),
          },
        },
      });
    });

    it('receive nothing when it was deleted meanwhile', async () => {
      await newWebhook({ event });
      const jobId = await heardJob();
      await raise(jobId);
      await database.dataSource.manager.update(JobEntity, { id: jobId }, { timeDeleted: new Date() });
      await handOn();
      expect(await rows()).toEqual([]);
    });
  });
});
