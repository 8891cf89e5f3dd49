/** @needs servers */
import { InProcessBus, MAX_PAYLOAD_BYTES, type Bus, type OutgoingMessage, type ReceivedMessage } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { metrics } from '@adit/runtime';
import { recordSpans } from '@adit/runtime/spec-tracer';
import { describeWith, freshDatabase, watchStatements, type FreshDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { enqueue, OutboxRelay } from './outbox.js';
import { SHARDS_AT_A_TIME, takeBatch } from './shards.js';

/** Messages that arrived, in order, from all relays that share the bus. */
class SharedBus implements Bus {
  readonly system = 'in-process';
  readonly arrived: { key: string; number: number }[] = [];
  /** Milliseconds until the messages of one call are accepted. */
  delay = 0;
  refuse = false;
  async publish(messages: OutgoingMessage[]): Promise<void> {
    if (this.refuse) throw new Error('the broker is away');
    await sleep(this.delay * Math.random());
    for (const { key, envelope } of messages) {
      const { data } = envelope.payload as Payload<'events.raised'>;
      this.arrived.push({ key, number: data.number as number });
    }
  }
  subscribe(): never {
    throw new Error('nobody subscribes here');
  }
  lag = () => Promise.resolve([]);
  ping = () => Promise.resolve();
  close = () => Promise.resolve();
}

/** Messages of a round, which visits each of 32 shards once: four batches. */
const ROUND = 800;

const event = (key: string, number: number) => ({
  topic: 'events.raised' as const,
  key,
  jobId: key,
  payload: { event: 'job.on_progress', data: { number } },
});

/** Writes 20,000 messages of one workspace, then one of another; `key` is SQL over the number `n`. */
async function writeFlood({ dataSource }: Database, key: string): Promise<void> {
  const head = { id: 'i', jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now' };
  await dataSource.query(
    `INSERT INTO outbox (topic, key, envelope, flow) SELECT 'events.raised', ${key}, $1::jsonb, 'flood'
       FROM generate_series(1, 20000) n`,
    [JSON.stringify({ ...head, payload: event('', 0).payload })],
  );
  await dataSource.transaction((manager) => enqueue(manager, [{ ...event('another', 1), workspaceId: 'w' }]));
}

const FLOODS = [
  ['of one job', `'flood'`],
  ['of a job each', `'job-' || n`],
  ['of its own shard', `'another'`],
] as const;

const left = async ({ dataSource }: Database): Promise<number> =>
  (await dataSource.query(`SELECT count(*)::int AS rows FROM outbox`))[0].rows;

/** How builds without flows take a batch. */
const TAKE_BEFORE_FLOWS = `
  WITH pending AS MATERIALIZED (
    SELECT hashtext(key) & 31 AS shard FROM (SELECT id, key FROM outbox ORDER BY id LIMIT 2000) AS oldest
     GROUP BY shard ORDER BY min(id)),
  mine AS MATERIALIZED (SELECT shard FROM pending WHERE pg_try_advisory_xact_lock(1869968482, shard) LIMIT 8),
  taken AS (
    DELETE FROM outbox WHERE id = ANY (ARRAY(
      SELECT id FROM outbox WHERE hashtext(key) & 31 IN (SELECT shard FROM mine) ORDER BY id LIMIT 200))
    RETURNING id, topic, key, envelope)
  SELECT topic, key, envelope FROM taken ORDER BY id`;

describe('the outbox of an embedded database', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());

  it('takes one query and one removal for each batch', async () => {
    const bus = new SharedBus();
    const relay = new OutboxRelay(database.dataSource, bus);
    await relay.transaction((manager) => enqueue(manager, [event('a', 1), event('b', 2)]));
    await relay.idle();
    const statements: string[] = [];
    const watched = watchStatements(database.dataSource, (sql) => statements.push(sql.trim().split(/\s/, 1)[0]!));
    await relay.transaction((manager) => enqueue(manager, [event('a', 3), event('b', 4)]));
    await relay.idle();
    watched.stop();
    expect(statements).toEqual(['START', 'INSERT', 'COMMIT', 'WITH', 'DELETE']);
    expect(bus.arrived.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(await left(database)).toBe(0);
  });

  it.each(FLOODS)('delays an event by a round while another workspace has 20,000 messages %s', async (_what, key) => {
    const bus = new SharedBus();
    const relay = new OutboxRelay(database.dataSource, bus);
    await writeFlood(database, key);
    relay.nudge();
    await relay.idle();
    expect(bus.arrived).toHaveLength(20_001);
    expect(bus.arrived.findIndex(({ number }) => number === 1)).toBeLessThan(ROUND);
  });

  it('has a span for the sending of each message', async () => {
    const spans = recordSpans();
    const relay = new OutboxRelay(database.dataSource, new SharedBus());
    await relay.transaction((manager) => enqueue(manager, [event('a', 1)]));
    await relay.idle();
    spans.stop();
    // 3 is the span kind of a producer.
    expect(spans.said).toContain('send events.raised: 3');
  });

  it('keeps messages while the bus is down, and sends them afterwards', async () => {
    const bus = new SharedBus();
    bus.refuse = true;
    const relay = new OutboxRelay(database.dataSource, bus);
    await relay.transaction((manager) => enqueue(manager, [event('again', 1), event('again', 2)]));
    await relay.idle();
    expect(await left(database)).toBe(2);
    bus.refuse = false;
    relay.nudge();
    await relay.idle();
    expect(bus.arrived).toEqual([1, 2].map((number) => ({ key: 'again', number })));
    expect(await left(database)).toBe(0);
  });

  it('refuses messages that could not be sent when they are written', async () => {
    const relay = new OutboxRelay(database.dataSource, new SharedBus());
    const write = (message: Parameters<typeof enqueue>[1][number]) =>
      relay.transaction((manager) => enqueue(manager, [message]));
    const large = event('a', 1);
    Object.assign(large.payload.data, { text: 'x'.repeat(MAX_PAYLOAD_BYTES) });
    await expect(write(large)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    const wrong = { ...event('a', 1), payload: { event: 7 } } as unknown as typeof large;
    await expect(write(wrong)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(write(event('', 1))).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(await left(database)).toBe(0);
  });

  /** @hardening jobs: One message that cannot be sent stops all publishing */
  it('makes a dead letter of one row that can’t be sent', async () => {
    await sendsAllButOne(database);
  });
});

/** Messages of each topic that the bus could never accept. */
async function unsendable(): Promise<number[]> {
  const page = await metrics.metrics();
  return ['events.raised', 'no topic at all', 'jobs.submitted'].map((topic) =>
    Number(new RegExp(`^adit_outbox_unsendable_total\\{topic="${topic}"\\} (\\d+)$`, 'm').exec(page)?.[1] ?? 0),
  );
}

/** Rows as an older or a faulty build may have left them, between two valid ones. */
async function sendsAllButOne(database: Database): Promise<void> {
  const bus = new InProcessBus();
  const relay = new OutboxRelay(database.dataSource, bus);
  const before = await unsendable();
  const seen: ReceivedMessage[] = [];
  const handle = async (message: ReceivedMessage) => void seen.push(message);
  const topics = ['events.raised', 'events.raised.dead-letters', 'jobs.submitted.dead-letters'] as const;
  for (const topic of topics) await bus.subscribe({ topic, group: 'spec', concurrency: 1, handle });
  const row = (topic: string, key: string, payload: unknown) => {
    const envelope = { id: 'i', jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now', payload };
    return database.dataSource.query(`INSERT INTO outbox (topic, key, envelope) VALUES ($1, $2, $3)`, [
      topic,
      key,
      JSON.stringify(envelope),
    ]);
  };
  await row('events.raised', 'a', { event: 'first', data: {} });
  await row('events.raised', 'a', { event: 'large', data: { text: 'x'.repeat(2 ** 21) } });
  await row('no topic at all', 'a', {});
  await row('jobs.submitted', '', {});
  await row('events.raised', 'a', { event: 'last', data: {} });
  await relay.transaction(async () => undefined);
  await relay.idle();
  while (seen.length < 4) await sleep(20);
  expect(seen).toHaveLength(4);
  expect(await left(database)).toBe(0);
  const of = (topic: string) => seen.filter((message) => message.topic === topic).map(({ envelope }) => envelope);
  expect(of(topics[0]).map(({ payload }) => (payload as Payload<'events.raised'>).event)).toEqual(['first', 'last']);
  const [letter] = of(topics[1]);
  expect(letter).toMatchObject({ id: 'i', payload: { reason: { code: 'TOO_LARGE', group: 'outbox' } } });
  // The dead letter is small enough for any broker.
  expect(JSON.stringify(letter).length).toBeLessThan(2 ** 18);
  expect(of(topics[2])).toMatchObject([{ payload: { reason: { code: 'VALIDATION' } } }]);
  expect(await unsendable()).toEqual(before.map((count) => count + 1));
  await bus.close();
}

await describeWith('postgres', 'the outbox of several processes', ({ postgres }) => {
  let fresh: FreshDatabase;
  const databases: Database[] = [];
  let relays: OutboxRelay[] = [];
  beforeAll(async () => {
    fresh = await freshDatabase(postgres.url);
    for (let process = 0; process < 3; process += 1) {
      databases.push(await openDatabase({ driver: 'postgres', url: fresh.url, poolSize: 5 }));
    }
    await databases[0]!.dataSource.query(
      `CREATE TABLE jobs_locks AS SELECT n AS job, 0 AS number FROM generate_series(0, 11) n`,
    );
  });
  afterEach(async () => {
    for (const relay of relays) await relay.onApplicationShutdown();
    relays = [];
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await fresh?.drop();
  });

  const start = (bus: Bus, count = 3) => {
    relays = databases.slice(0, count).map(({ dataSource }) => new OutboxRelay(dataSource, bus));
    for (const relay of relays) relay.onApplicationBootstrap();
    return relays;
  };
  const emptied = async () => {
    while ((await left(databases[0]!)) > 0) await sleep(50);
  };

  it('sends every message once, those of one job in causal order', async () => {
    const bus = new SharedBus();
    bus.delay = 4;
    const each = start(bus);
    const writer = async (relay: OutboxRelay) => {
      for (let round = 0; round < 30; round += 1) {
        await relay.transaction(async (manager) => {
          const job = Math.floor(Math.random() * 12);
          // LockedJob holds the row until the commit likewise.
          const [[{ number }]] = await manager.query(
            `UPDATE jobs_locks SET number = number + 2 WHERE job = $1 RETURNING number`,
            [job],
          );
          await enqueue(manager, [event(`job-${job}`, number - 1), event(`job-${job}`, number)]);
        });
      }
    };
    await Promise.all(each.flatMap((relay) => [writer(relay), writer(relay)]));
    await emptied();
    expect(bus.arrived).toHaveLength(3 * 2 * 30 * 2);
    for (let job = 0; job < 12; job += 1) {
      const numbers = bus.arrived.filter(({ key }) => key === `job-${job}`).map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });

  it('resends messages of a failed bus or a killed process, and loses nothing', async () => {
    const bus = new SharedBus();
    bus.refuse = true;
    const [relay] = start(bus, 1);
    await relay!.transaction((manager) => enqueue(manager, [event('again', 1), event('again', 2)]));
    await relay!.idle();
    expect(await left(databases[0]!)).toBe(2);
    // The relay is killed while it publishes: the server ends its session, and rolls back what the session took.
    const runner = databases[1]!.dataSource.createQueryRunner();
    await runner.startTransaction();
    expect((await takeBatch(runner.manager)).rows).toHaveLength(2);
    const [{ pid }] = await runner.query(`SELECT pg_backend_pid() AS pid`);
    bus.refuse = false;
    await relay!.transaction((manager) => enqueue(manager, [event('again', 3), event('another', 1)]));
    await relay!.idle();
    // The shard is locked, the message of the other key is not.
    expect(bus.arrived.map(({ key }) => key)).toEqual(['another']);
    await databases[0]!.dataSource.query(`SELECT pg_terminate_backend($1)`, [pid]);
    await emptied();
    await runner.release();
    expect(bus.arrived.slice(1)).toEqual([1, 2, 3].map((number) => ({ key: 'again', number })));
  });

  it.each(FLOODS)('delays an event by a round while another workspace has 20,000 messages %s', async (_what, key) => {
    await writeFlood(databases[0]!, key);
    const bus = new SharedBus();
    start(bus, 1);
    await emptied();
    expect(bus.arrived).toHaveLength(20_001);
    expect(bus.arrived.findIndex(({ number }) => number === 1)).toBeLessThan(ROUND);
  });

  it('visits every workspace while thousands have messages', async () => {
    const { dataSource } = databases[0]!;
    await dataSource.query(
      `INSERT INTO outbox (topic, key, envelope, flow)
       SELECT 'events.raised', 'job-' || n || '-' || w, $1::jsonb, md5(w::text) FROM generate_series(1, 4000) w, generate_series(1, 3) n`,
      [JSON.stringify({ id: 'i', jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now', payload: {} })],
    );
    const seen = new Set<string>();
    let count = 0;
    // Which flows a shard begins with is random. Oldest first would have seen 2,000 of them after half of all.
    for (let from = 0; count < 12_000; from += SHARDS_AT_A_TIME) {
      const { rows: batch } = await dataSource.transaction((manager) => takeBatch(manager, from));
      if (count < 6_000) for (const { key } of batch) seen.add(key.split('-')[2]!);
      expect(batch.length).toBeGreaterThan(0);
      count += batch.length;
    }
    expect(count).toBe(12_000);
    expect(seen.size).toBeGreaterThan(2_500);
  });

  /** @hardening jobs: Messages of a job overtake each other while two builds write and relay them */
  it('keeps the order of a key that two builds write, and relay', async () => {
    // Every fifth message is of the older build, which names no flow.
    await databases[0]!.dataSource.query(
      `INSERT INTO outbox (topic, key, envelope, flow)
       SELECT 'events.raised', 'two-' || job, $1::jsonb || jsonb_build_object('payload',
                jsonb_build_object('event', 'e', 'data', jsonb_build_object('number', n))),
              CASE WHEN random() < 0.2 THEN '' ELSE 'w' END
         FROM generate_series(1, 400) n, generate_series(0, 5) job ORDER BY n`,
      [JSON.stringify({ id: 'i', jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now' })],
    );
    const bus = new SharedBus();
    bus.delay = 4;
    start(bus, 2);
    while ((await left(databases[0]!)) > 0) {
      await databases[2]!.dataSource.transaction(async (manager) => {
        const rows: OutgoingMessage[] = await manager.query(TAKE_BEFORE_FLOWS);
        if (rows.length > 0) await bus.publish(rows);
      });
    }
    expect(bus.arrived).toHaveLength(2400);
    for (let job = 0; job < 6; job += 1) {
      const numbers = bus.arrived.filter(({ key }) => key === `two-${job}`).map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });

  it('makes a dead letter of a row that can’t be sent, alone', () => sendsAllButOne(databases[0]!));

  it('is not held up by a relay that hangs, except for the messages that it took', async () => {
    const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
    const bus = new SharedBus();
    // Another session takes rows and hangs.
    const runner = databases[1]!.dataSource.createQueryRunner();
    await databases[0]!.dataSource.transaction((manager) =>
      enqueue(
        manager,
        keys.map((key) => event(key, 1)),
      ),
    );
    await runner.startTransaction();
    const taken = (await takeBatch(runner.manager)).rows.map(({ key }) => key);
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.length).toBeLessThan(keys.length);
    const [relay] = start(bus, 1);
    await relay!.idle();
    expect(bus.arrived.map(({ key }) => key).sort()).toEqual(keys.filter((key) => !taken.includes(key)).sort());
    await runner.rollbackTransaction();
    await runner.release();
    await emptied();
    expect(bus.arrived).toHaveLength(keys.length);
  });
});
