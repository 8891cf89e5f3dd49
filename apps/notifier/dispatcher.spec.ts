/** @needs servers */
import { randomUUID } from 'node:crypto';
import { openDatabase, WebhookAttemptEntity, WebhookDeliveryEntity, type Database } from '@adit/database';
import { AddressPolicy } from '@adit/net';
import { configureLogging } from '@adit/runtime';
import { CLOCK_ALONE, describeWith, freshDatabase } from '@adit/testing';
import {
  claimDeliveries,
  removeEndedDeliveries,
  RETRY_DELAYS_SECONDS,
  Sender,
  storeDeliveries,
  type NewDelivery,
  type SecretSource,
} from '@adit/webhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { DataSource } from 'typeorm';
import { Dispatcher, type DispatcherOptions } from './dispatcher.js';
import { Receiver } from './testing/receiver.js';

const policy = { allowHttp: true, addresses: new AddressPolicy(['127.0.0.1/32']) };
const HOUR = 3_600_000;

function dispatcherSuite(open: () => Promise<{ database: Database; drop?: () => Promise<void> }>): void {
  let database: Database;
  let drop: (() => Promise<void>) | undefined;
  let clock: Date;
  let receiver: Receiver;
  let secrets: string[];
  const opened: { close(): Promise<void> }[] = [];

  const db = (): DataSource => database.dataSource;
  const source: SecretSource = {
    kind: 'test',
    secretsOf: (signers) => Promise.resolve(new Map(signers.map((signer) => [signer, secrets]))),
  };
  const dispatcher = (options: Partial<DispatcherOptions> = {}, over: DataSource = db()): Dispatcher => {
    const timeoutSeconds = options.timeoutSeconds ?? 2;
    const made = new Dispatcher(over, new Sender({ policy, timeoutSeconds }), [source], {
      timeoutSeconds,
      concurrency: 64,
      perReceiver: 4,
      now: () => clock,
      ...options,
    });
    opened.push({ close: () => made.stop() });
    return made;
  };
  const anotherReceiver = async (): Promise<Receiver> => {
    const made = await Receiver.start();
    opened.push(made);
    return made;
  };
  const delivery = (more: Partial<NewDelivery> = {}): NewDelivery => ({
    subscription: `test:${randomUUID()}`,
    fact: randomUUID(),
    kind: 'test',
    signer: randomUUID(),
    jobId: null,
    url: receiver.url,
    orderKey: null,
    event: 'job.on_completed',
    timestamp: clock.getTime() / 1000,
    data: { job: { tag: 'Zürich' } },
    traceparent: null,
    ...more,
  });
  const store = (...news: NewDelivery[]): Promise<number | null> => storeDeliveries(db(), news, clock);
  const settled = async (of: Dispatcher): Promise<void> => {
    of.nudge();
    await of.idle();
  };
  const rows = (): Promise<WebhookDeliveryEntity[]> =>
    db().manager.find(WebhookDeliveryEntity, { order: { seq: 'ASC' } });
  const attemptsOf = (deliveryId: string): Promise<WebhookAttemptEntity[]> =>
    db().manager.find(WebhookAttemptEntity, { where: { deliveryId }, order: { attempt: 'ASC' } });
  const pass = (milliseconds: number): void => {
    clock = new Date(clock.getTime() + milliseconds);
  };

  beforeAll(async () => {
    configureLogging({ level: 'silent' });
    ({ database, drop } = await open());
  });
  beforeEach(async () => {
    clock = new Date('2026-03-01T12:00:00.250Z');
    secrets = [`whsec_${Buffer.alloc(32, 5).toString('base64')}`];
    receiver = await anotherReceiver();
  });
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
    await db().query('DELETE FROM webhook_deliveries');
    await db().query('DELETE FROM webhook_attempts');
  });
  afterAll(async () => {
    await database?.close();
    await drop?.();
  });

  it('delivers due webhooks, signed, once', async () => {
    const news = delivery();
    expect(await store(news)).toBe(1);
    // The message was delivered twice.
    expect(await store(news)).toBe(0);
    await settled(dispatcher());
    expect(receiver.received).toHaveLength(1);
    const [{ body, raw, headers, id }] = receiver.received as [Receiver['received'][number]];
    const [row] = await rows();
    expect(id).toBe(row!.id);
    expect(body).toEqual({
      event: 'job.on_completed',
      id,
      timestamp: 1772366400.25,
      data: { job: { tag: 'Zürich' } },
      hmac_signature: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    });
    // The library knows no simulated clock, so its check of the time is switched off.
    const [, signature] = String(headers['webhook-signature']).split(',');
    expect(new Webhook(secrets[0]!).sign(id, clock, raw)).toBe(`v1,${signature}`);
    expect(row).toMatchObject({ state: 'delivered', attempts: 1, timeEnded: expect.any(Date) });
    expect(await attemptsOf(id)).toMatchObject([{ attempt: 1, status: 204, error: null }]);
  });

  it('gives a delivery to one notifier at a time, whatever their clocks say', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    receiver.answer = async () => (await answered, 204);
    const own = (): Dispatcher => {
      const options = { timeoutSeconds: 60, concurrency: 64, perReceiver: 4 };
      const made = new Dispatcher(db(), new Sender({ policy, timeoutSeconds: 60 }), [source], options);
      opened.push({ close: () => made.stop() });
      return made;
    };
    const takes = async (one: Dispatcher, minutes: number): Promise<void> => {
      jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCK_ALONE] });
      const claims = jest.spyOn(one as unknown as { claim: (free: number) => Promise<unknown[]> }, 'claim');
      one.nudge();
      while (claims.mock.results.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await claims.mock.results[0]!.value;
      jest.useRealTimers();
    };
    await storeDeliveries(db(), [delivery()]);
    try {
      await takes(own(), -20);
      await takes(own(), 20);
    } finally {
      answer();
    }
    for (const one of opened.splice(1)) await one.close();
    expect(receiver.received).toHaveLength(1);
    expect(await rows()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  it('retries on schedule until the receiver works, under the same id', async () => {
    let down = true;
    receiver.answer = () => (down ? 503 : 200);
    await store(delivery());
    const one = dispatcher();
    await settled(one);
    for (const seconds of RETRY_DELAYS_SECONDS.slice(1, 5)) {
      const before = receiver.received.length;
      pass((seconds - 1) * 1000);
      await settled(one);
      expect(receiver.received).toHaveLength(before);
      pass(seconds * 0.2 * 1000 + 3000);
      if (seconds === 7200) down = false;
      await settled(one);
      expect(receiver.received).toHaveLength(before + 1);
    }
    expect(new Set(receiver.ids).size).toBe(1);
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1);
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'delivered', attempts: 5 });
    expect((await attemptsOf(row!.id)).map(({ status }) => status)).toEqual([503, 503, 503, 503, 200]);
    pass(48 * HOUR);
    await settled(one);
    expect(receiver.received).toHaveLength(5);
  });

  it('loses nothing while a receiver is down for an hour', async () => {
    receiver.answer = () => 500;
    await store(...Array.from({ length: 40 }, () => delivery()));
    const one = dispatcher();
    for (let minutes = 0; minutes < 60; minutes += 5, pass(5 * 60_000)) await settled(one);
    const away = receiver.received.length;
    expect(new Set(receiver.ids).size).toBe(40);
    receiver.answer = () => 200;
    for (let hours = 0; hours < 4; hours++, pass(HOUR)) await settled(one);
    const after = receiver.ids.slice(away);
    expect([...after].sort()).toEqual([...new Set(receiver.ids)].sort());
    expect((await rows()).every(({ state }) => state === 'delivered')).toBe(true);
  });

  it('gives up after eight attempts', async () => {
    receiver.answer = () => 301;
    await store(delivery());
    const one = dispatcher();
    for (let hours = 0; hours < 60; hours++, pass(HOUR)) await settled(one);
    expect(receiver.received).toHaveLength(8);
    expect((await rows())[0]).toMatchObject({ state: 'failed', attempts: 8, timeEnded: expect.any(Date) });
  });

  it('ends the subscription that answers 410 and no other', async () => {
    receiver.answer = ({ body }) => (body['event'] === 'job.on_failed' ? 410 : 500);
    const subscription = 'job:1';
    await store(delivery({ subscription }), delivery({ subscription, event: 'job.on_failed' }), delivery());
    await settled(dispatcher());
    expect((await rows()).map(({ state }) => state)).toEqual(['gone', 'gone', 'pending']);
    expect(await store(delivery({ subscription }), delivery())).toBe(1);
  });

  it('sends the first attempts of a job in order, and a failed one holds up none', async () => {
    receiver.answer = async ({ body }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      return body['event'] === 'a2' ? 500 : 200;
    };
    const orders = ['a', 'b'].flatMap((orderKey) => [1, 2, 3, 4].map((n) => ({ orderKey, event: `${orderKey}${n}` })));
    await store(...orders.map((order) => delivery(order)));
    await settled(dispatcher());
    expect(receiver.events.filter((event) => event.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(receiver.events.filter((event) => event.startsWith('b'))).toEqual(['b1', 'b2', 'b3', 'b4']);
  });

  const silent = async (): Promise<Receiver[]> => {
    const dead = await Promise.all(Array.from({ length: 6 }, anotherReceiver));
    for (const each of dead) each.answer = () => 'silence';
    await store(...dead.flatMap(({ url }) => Array.from({ length: 30 }, () => delivery({ url }))));
    return dead;
  };

  it('delays nobody because of receivers that do not answer', async () => {
    const dead = await silent();
    await store(...Array.from({ length: 40 }, () => delivery()));
    // Their time-out is longer than the spec may take: deliveries to them wait until its end.
    dispatcher({ concurrency: 32, timeoutSeconds: 600 }).nudge();
    while (receiver.received.length < 40) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(receiver.received).toHaveLength(40);
    for (const each of dead) expect(each.received.length).toBeLessThanOrEqual(4);
  });

  it('sends one attempt at a time to receivers that do not answer', async () => {
    const dead = await silent();
    const began = performance.now();
    dispatcher({ concurrency: 32, timeoutSeconds: 2 }).nudge();
    // Four go out at first; after three without an answer, one at a time, for two seconds each.
    await new Promise((resolve) => setTimeout(resolve, 4500));
    const most = 4 + Math.ceil((performance.now() - began) / 2000);
    for (const each of dead) expect(each.received.length).toBeLessThanOrEqual(most);
  });

  it('respects the limit of concurrent attempts per receiver', async () => {
    let now = 0;
    let most = 0;
    receiver.answer = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
      return 200;
    };
    await store(...Array.from({ length: 50 }, () => delivery()));
    await settled(dispatcher({ perReceiver: 3 }));
    expect(receiver.received).toHaveLength(50);
    expect(most).toBe(3);
  });

  it('resumes a delivery whose sender died before it stored the answer', async () => {
    await store(delivery());
    const dying = new Proxy(db(), {
      get: (target, property) =>
        property === 'manager'
          ? {
              query: (sql: string, values: unknown[]) =>
                sql.includes('webhook_attempts')
                  ? Promise.reject(new Error('killed'))
                  : target.manager.query(sql, values),
            }
          : Reflect.get(target, property),
    });
    await settled(dispatcher({}, dying));
    expect(receiver.received).toHaveLength(1);
    const heir = dispatcher();
    await settled(heir);
    expect(receiver.received).toHaveLength(1);
    pass(20_000);
    await settled(heir);
    expect(receiver.ids).toEqual([receiver.ids[0], receiver.ids[0]]);
    expect((await rows())[0]).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it('counts an attempt that was taken for lost and did deliver', async () => {
    await store(delivery());
    let release = (): void => undefined;
    receiver.answer = async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return 200;
    };
    // Its clock is frozen, or its loop might see the lease run out before the other does.
    const began = clock;
    const slow = dispatcher({ timeoutSeconds: 30, now: () => began });
    slow.nudge();
    while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    pass(60_000);
    const options = { now: clock, leaseUntil: new Date(clock.getTime() + 60_000), limit: 9, perReceiver: 9 };
    const [again] = await claimDeliveries(db().manager, { ...options, rooms: new Map() });
    expect(again).toMatchObject({ attempt: 2 });
    release();
    await slow.idle();
    expect((await rows())[0]).toMatchObject({ state: 'delivered' });
  });

  it('shares the work with others and sends nothing twice', async () => {
    await store(...Array.from({ length: 120 }, () => delivery()));
    const many = Array.from({ length: 3 }, () => dispatcher());
    await Promise.all(many.map(settled));
    expect(receiver.ids).toHaveLength(120);
    expect(new Set(receiver.ids).size).toBe(120);
  });

  it('signs with the current secret, and with both while two are valid', async () => {
    receiver.answer = () => 500;
    await store(delivery());
    const one = dispatcher();
    await settled(one);
    const old = secrets[0]!;
    secrets = [`whsec_${Buffer.alloc(32, 9).toString('base64')}`, old];
    pass(6500);
    await settled(one);
    const [before, after] = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' '));
    expect(before).toHaveLength(1);
    expect(after).toHaveLength(2);
    const { id, raw } = receiver.received[1]!;
    expect(after).toEqual(secrets.map((secret) => new Webhook(secret).sign(id, clock, raw)));
    secrets = [];
    pass(HOUR);
    await settled(one);
    expect(receiver.received).toHaveLength(2);
  });

  it('removes expired deliveries, with their attempts, but none in progress', async () => {
    receiver.answer = ({ body }) => (body['event'] === 'waits' ? 500 : 200);
    await store(delivery(), delivery({ event: 'waits' }));
    await settled(dispatcher());
    expect(await removeEndedDeliveries(db().manager, clock)).toBe(0);
    pass(31 * 24 * HOUR);
    expect(await removeEndedDeliveries(db().manager, new Date(clock.getTime() - 30 * 24 * HOUR))).toBe(1);
    const left = await rows();
    expect(left.map(({ event }) => event)).toEqual(['waits']);
    const attempts: { delivery_id: string }[] = await db().query('SELECT delivery_id FROM webhook_attempts');
    expect(attempts).toEqual([{ delivery_id: left[0]!.id }]);
  });
}

describe('the dispatcher on the embedded database', () => {
  dispatcherSuite(async () => ({ database: await openDatabase({ driver: 'pglite', directory: null }) }));
});

// PostgreSQL has several concurrent sessions.
await describeWith('postgres', 'the dispatcher on PostgreSQL', ({ postgres }) => {
  dispatcherSuite(async () => {
    const { url, drop } = await freshDatabase(postgres.url);
    return { database: await openDatabase({ driver: 'postgres', url, poolSize: 8 }), drop };
  });
});
