/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, analysisTopic } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { describeWith, uniqueName } from '@adit/testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { within } from './conformance.js';
import type { DeadLetter } from './dead-letter.js';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';
import type { KafkaBusOptions } from './kafka.js';
import type { DeliveryContext, OutgoingMessage, ReceivedMessage, SubscriptionOptions } from './port.js';

configureLogging({ level: 'silent' });

const TIMEOUT_MS = 120_000;
/** The shortest session that brokers grant by default. */
const SESSION_MS = 6_000;

const chunk = (chunkId: string, key = chunkId): OutgoingMessage<'chunks.requested'> => ({
  topic: 'chunks.requested',
  key,
  envelope: { id: chunkId, jobId: 'job', traceparent: null, attempt: 1, occurredAt: 'now', payload: { chunkId } },
});
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

interface Handling {
  id: string;
  key: string;
  delivery: number;
  from: number;
  /** Null while it runs. */
  to: number | null;
  finished: boolean;
}

await describeWith('kafka', 'members of a Kafka group', ({ kafka }) => {
  const brokers = kafka.brokers.split(',');
  let prefix: string;
  let buses: KafkaBus[];
  const open = (options: KafkaBusOptions = {}) => {
    const config = KafkaConfig.parse({ kafkaBrokers: brokers, kafkaTopicPrefix: prefix });
    const bus = new KafkaBus(config, {
      delivery: { baseMs: 5, maxMs: 20 },
      closeGraceMs: 5_000,
      times: { sessionTimeoutMs: SESSION_MS, heartbeatMs: 100, maxWaitMs: 100 },
      ...options,
    });
    buses.push(bus);
    return bus;
  };
  /** A member, as if in a process of its own, that remembers what it did. */
  const join = async (
    handle: (message: ReceivedMessage, context: DeliveryContext) => Promise<void>,
    { bus = open(), ...options }: Partial<SubscriptionOptions> & { bus?: KafkaBus } = {},
  ) => {
    const done: Handling[] = [];
    const subscription = await bus.subscribe({
      topic: 'chunks.requested',
      group: 'decoder',
      concurrency: 4,
      ...options,
      async handle(message, context) {
        const { key, envelope } = message;
        const from = performance.now();
        const one: Handling = { id: envelope.id, key, delivery: context.delivery, from, to: null, finished: false };
        done.push(one);
        try {
          await handle(message, context);
          one.finished = true;
        } finally {
          one.to = performance.now();
        }
      },
    });
    return { done, close: () => subscription.close() };
  };
  const eventually = (assertion: () => void | Promise<void>) => within(TIMEOUT_MS, assertion);
  const ids = (...lists: Handling[][]) => lists.flat().map(({ id }) => id);

  beforeEach(() => {
    prefix = `${uniqueName('members')}.`;
    buses = [];
  });
  afterEach(() => Promise.all(buses.map((bus) => bus.close())));

  it('members may work on a message for longer than the session lasts, while the other partitions go on', async () => {
    const bus = open();
    const one = await join(({ envelope }) => sleep(envelope.id === 'long' ? SESSION_MS * 1.5 : 1), { bus });
    await bus.publish([chunk('long')]);
    await eventually(() => expect(ids(one.done)).toEqual(['long']));
    const two = await join(async () => undefined);
    for (const n of range(10)) await bus.publish([chunk(`quick-${n}`)]).then(() => sleep(200));
    const all = () => [...one.done, ...two.done];
    await eventually(() => expect(all().filter(({ finished }) => finished).length).toBeGreaterThan(6));
    expect(one.done[0]).toMatchObject({ id: 'long', to: null });
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    expect(one.done[0]).toMatchObject({ id: 'long', finished: true });
    expect(ids(all()).sort()).toEqual(['long', ...range(10).map((n) => `quick-${n}`)]);
  });

  it('members keep their current message when others join', async () => {
    const bus = open();
    const first = await join((_, { signal }) => sleep(3_000, undefined, { signal }), { bus, concurrency: 1 });
    await bus.publish([chunk('long')]);
    await eventually(() => expect(ids(first.done)).toEqual(['long']));
    const others = [];
    for (let n = 0; n < 3; n++) others.push(await join(async () => undefined));
    await eventually(() => expect(first.done[0]?.to).not.toBeNull());
    expect(first.done[0]?.finished).toBe(true);
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    expect(ids(...others.map(({ done }) => done))).toEqual([]);
  });

  it('members lose nothing and rarely work on the same message while others join and leave', async () => {
    const bus = open();
    const work = (_: unknown, { signal }: DeliveryContext) => sleep(20 + Math.random() * 60, undefined, { signal });
    const members = [await join(work), await join(work)];
    const messages = range(240).map((n) => chunk(`m${n}`, `key-${n % 24}`));
    const publishing = (async () => {
      for (const n of range(24)) await bus.publish(messages.slice(n * 10, n * 10 + 10)).then(() => sleep(100));
    })();
    await sleep(500);
    members.push(await join(work));
    await sleep(700);
    await members[0]?.close();
    members.push(await join(work));
    await sleep(500);
    await members[1]?.close();
    await publishing;
    const all = () => members.flatMap(({ done }) => done);
    const finished = () =>
      new Set(
        all()
          .filter((one) => one.finished)
          .map(({ id }) => id),
      );
    await eventually(() => expect(finished().size).toBe(240));
    await eventually(() => expect(all().every(({ to }) => to !== null)).toBe(true));
    // Each key's messages were first finished in their order.
    for (const n of range(24)) {
      const order = all().filter(({ key, finished: good }) => good && key === `key-${n}`);
      const firsts = [...new Set(order.sort((a, b) => (a.to ?? 0) - (b.to ?? 0)).map(({ id }) => Number(id.slice(1))))];
      expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
    }
    expect(longestOverlap(all())).toBeLessThan(1_000);
    expect(all().length - 240).toBeLessThan(40);
  });

  it('members may commit late: nothing is lost, order is kept, and committed messages are not given again', async () => {
    const bus = open();
    const late = { commitWithinMs: 300 };
    const first = await join(async () => undefined, { bus, ...late });
    const flood = range(200).map((n) => chunk(`m-${n}`, `key-${n % 7}`));
    await bus.publish(flood);
    await eventually(() => expect(first.done).toHaveLength(200));
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    // One that leaves commits all it did, however late it may.
    await bus.publish([chunk('last', 'key-0')]);
    await eventually(() => expect(first.done).toHaveLength(201));
    await first.close();
    const second = await join(async () => undefined, late);
    await bus.publish(range(20).map((n) => chunk(`again-${n}`, `key-${n % 7}`)));
    await eventually(() => expect(second.done).toHaveLength(20));
    expect(ids(second.done).every((id) => id.startsWith('again-'))).toBe(true);
    for (const { done } of [first, second]) {
      for (const key of new Set(done.map((one) => one.key))) {
        const order = done.filter((one) => one.key === key).map(({ id }) => Number(id.split('-')[1] ?? Infinity));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    }
    // A failed one is noted and tried again, behind it and before it nothing is lost.
    let failures = 2;
    const third = await join(
      async ({ envelope }) => {
        if (envelope.id === 'fails' && failures-- > 0) throw new Error('not now');
      },
      { ...late, group: 'other', bus },
    );
    await bus.publish([chunk('before', 'k'), chunk('fails', 'k'), chunk('after', 'k')]);
    // The group has all that was published before it came; of that only the order within a key is certain.
    await eventually(() =>
      expect(ids(third.done.filter(({ key, finished }) => key === 'k' && finished))).toEqual([
        'before',
        'fails',
        'after',
      ]),
    );
    expect(third.done.filter(({ id }) => id === 'fails').map(({ delivery }) => delivery)).toEqual([1, 2, 3]);
  });

  it('members hand back unfinished messages with their number of failures', async () => {
    const session = 60_000;
    const slow = open({
      delivery: { maxDeliveries: 5, baseMs: 60_000, maxMs: 60_000 },
      times: { sessionTimeoutMs: session, heartbeatMs: 100, maxWaitMs: 100 },
    });
    const leaving = await join(
      async ({ envelope }, { signal }) => {
        if (envelope.id === 'bad') throw new AditError('INTERNAL', 'crashed');
        await sleep(60_000, undefined, { signal });
      },
      { bus: slow },
    );
    await slow.publish([chunk('bad', 'a'), chunk('long', 'b')]);
    await eventually(() => expect(ids(leaving.done).sort()).toEqual(['bad', 'long']));
    await sleep(200);
    const began = performance.now();
    await leaving.close();
    const staying = await join(async () => undefined);
    await eventually(() =>
      expect(staying.done.map(({ id, delivery }) => [id, delivery]).sort()).toEqual([
        ['bad', 2],
        ['long', 1],
      ]),
    );
    // It left the group at once, so nobody waited for its session to end.
    expect(performance.now() - began).toBeLessThan(session);
  });

  it('members make a dead letter of a foreign message and go on with the next', async () => {
    const bus = open();
    await bus.prepare();
    const letters: DeadLetter[] = [];
    await bus.subscribe({
      topic: 'chunks.requested.dead-letters',
      group: 'undertaker',
      concurrency: 1,
      handle: async ({ envelope }) => void letters.push(envelope.payload as DeadLetter),
    });
    const member = await join(async () => undefined);
    await produce(`${prefix}chunks.requested`, [
      { key: 'k', value: 'no JSON' },
      { key: 'k', value: null },
    ]);
    await bus.publish([chunk('fine', 'k')]);
    await eventually(() => expect(letters).toHaveLength(2));
    expect(letters).toMatchObject([
      { reason: { code: 'VALIDATION', group: 'decoder', deliveries: 1 }, payload: 'no JSON' },
      { reason: { code: 'VALIDATION' }, payload: null },
    ]);
    await eventually(() => expect(ids(member.done)).toEqual(['fine']));
  });

  it('members find the trace of a message in its header as well', async () => {
    const bus = open();
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const traces: (string | null)[] = [];
    const { envelope } = chunk('traced');
    await bus.prepare();
    await produce(`${prefix}chunks.requested`, [
      { key: 'k', value: JSON.stringify(envelope), headers: { traceparent } },
    ]);
    await bus.publish([{ ...chunk('sent', 'k'), envelope: { ...envelope, id: 'sent', traceparent } }]);
    await join(async (message) => void traces.push(message.envelope.traceparent));
    await eventually(() => expect(traces).toEqual([traceparent, traceparent]));
    expect(await headersIn(`${prefix}chunks.requested`, 2)).toEqual([traceparent, traceparent]);
  });

  it('members find their topics made as configured, and warn of those with too few partitions', async () => {
    const lines: Record<string, unknown>[] = [];
    const config = (partitions: number) =>
      KafkaConfig.parse({ kafkaBrokers: brokers, kafkaTopicPrefix: prefix, kafkaPartitions: partitions });
    const small = new KafkaBus(config(2));
    const large = new KafkaBus(config(5));
    buses.push(small, large);
    const topic = analysisTopic('faces');
    const options = { topic, group: 'faces', concurrency: 1, handle: async () => undefined };
    const payload = { chunkId: 'c', analysisDigest: 'd' };
    await small.publish([{ topic, key: 'c', envelope: { ...chunk('c').envelope, payload } }]);
    expect(await partitionsOf('analyses.faces.requested')).toBe(2);
    expect(await partitionsOf('analyses.faces.requested.dead-letters')).toBe(1);
    configureLogging({ level: 'warn', to: { write: (line) => void lines.push(JSON.parse(line)) } });
    await large.subscribe(options);
    configureLogging({ level: 'silent' });
    expect(lines).toMatchObject([
      { level: 'warn', topic: `${prefix}analyses.faces.requested`, partitions: 2, wanted: 5 },
    ]);
    expect(lines[0]?.msg).toContain('fewer partitions than KAFKA_PARTITIONS');
  });

  it('members wait for topics that another process is just making', async () => {
    // The brokers make their own topic of groups when the first one comes.
    await join(async () => undefined);
    const lines: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      prefix = `${uniqueName()}.`;
      const [making, ...coming] = range(6).map(() => open()) as [KafkaBus, ...KafkaBus[]];
      await Promise.all([making, ...coming].map((bus) => bus.ping()));
      configureLogging({ level: 'warn', to: { write: (line) => void lines.push(JSON.parse(line)) } });
      await Promise.all([
        making.prepare(),
        ...coming.map(async (bus, n) => {
          await sleep(20 + n * 12);
          await join(async () => undefined, { bus, group: `group-${n}` });
        }),
      ]);
      configureLogging({ level: 'silent' });
      await Promise.all(buses.splice(0).map((bus) => bus.close()));
    }
    expect(lines).toEqual([]);
  });

  it('members get a flood in order, though it was published all at once', async () => {
    const bus = open();
    const member = await join(async () => undefined, { concurrency: 12 });
    await Promise.all(range(2_000).map((n) => bus.publish([chunk(`m${n}`, `key-${n % 50}`)])));
    await eventually(() => expect(member.done).toHaveLength(2_000));
    for (const n of range(50)) {
      const order = ids(member.done.filter(({ key }) => key === `key-${n}`)).map((id) => Number(id.slice(1)));
      expect(order).toEqual(range(40).map((step) => step * 50 + n));
    }
  });

  it('members know the group’s position in every partition, though nothing came, and though Kafka forgot it', async () => {
    const topic = `${prefix}chunks.requested`;
    const admin = client().admin();
    await admin.connect();
    const stands = async () => {
      const [found] = await admin.fetchOffsets({ groupId: `${prefix}decoder.chunks.requested`, topics: [topic] });
      return found?.partitions.map(({ offset }) => Number(offset)) ?? [];
    };
    try {
      const bus = open();
      await bus.prepare();
      const partitions = await partitionsOf('chunks.requested');
      const first = await join(async () => undefined, { bus });
      await eventually(async () => expect(await stands()).toEqual(Array(partitions).fill(0)));
      await bus.publish(range(40).map((n) => chunk(`m${n}`)));
      await eventually(async () => expect(await lagOf(bus)).toBe(0));
      await first.close();
      const ends = await admin.fetchTopicOffsets(topic);
      // After a week Kafka has neither the messages nor where the group stood.
      await admin.deleteTopicRecords({
        topic,
        partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
      });
      await admin.deleteGroups([`${prefix}decoder.chunks.requested`]);
      const second = await join(async () => undefined);
      await eventually(async () =>
        expect((await stands()).sort()).toEqual(ends.map(({ high }) => Number(high)).sort()),
      );
      await second.close();
    } finally {
      await admin.disconnect();
    }
  });

  // kafkajs would ask again by itself, as a member of the next generation whose partition it may not be any more.
  it('members notice at once that Kafka refuses their commits', async () => {
    const topic = `${prefix}chunks.requested`;
    await open().prepare();
    const consumer = client().consumer({
      groupId: `${prefix}thrown-out`,
      sessionTimeout: SESSION_MS,
      maxWaitTimeInMs: 100,
      retry: { retries: 3, initialRetryTime: 500 },
    });
    let finish = () => undefined as void;
    const asked: unknown[] = [];
    consumer.on(consumer.events.REQUEST, ({ payload: { apiName } }) => asked.push(apiName));
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      await produce(topic, [{ key: 'key', value: '{}' }]);
      // A consumer that is at a message sends no heartbeats: Kafka throws it out.
      await new Promise<void>((resolve) => {
        const eachMessage = () => {
          resolve();
          return new Promise<void>((done) => (finish = done));
        };
        void consumer.run({ autoCommit: false, eachMessage });
      });
      const commit = () => consumer.commitOffsets([{ topic, partition: 0, offset: '0' }]);
      await commit();
      const before = asked.filter((name) => name === 'OffsetCommit').length;
      await sleep(SESSION_MS + 1_500);
      await expect(commit()).rejects.toMatchObject({ type: 'UNKNOWN_MEMBER_ID' });
      expect(asked.filter((name) => name === 'OffsetCommit')).toHaveLength(before + 1);
    } finally {
      finish();
      await consumer.disconnect();
    }
  });

  const lagOf = async (bus: KafkaBus) => (await bus.lag())[0]?.messages;

  const client = () => new Kafka({ brokers, logLevel: logLevel.NOTHING });

  const produce = async (
    topic: string,
    messages: { key: string; value: string | null; headers?: Record<string, string> }[],
  ) => {
    const producer = client().producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic, messages });
    await producer.disconnect();
  };

  const headersIn = async (topic: string, count: number) => {
    const consumer = client().consumer({ groupId: `${topic}.headers`, maxWaitTimeInMs: 100 });
    const found: string[] = [];
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void found.push(String(message.headers?.traceparent)) });
    await eventually(() => expect(found).toHaveLength(count));
    await consumer.disconnect();
    return found;
  };

  const partitionsOf = async (topic: string) => {
    const admin = client().admin();
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: [`${prefix}${topic}`] });
    await admin.disconnect();
    return topics[0]?.partitions.length;
  };
});

/** Milliseconds that two handlers were at the same message, at the worst. */
function longestOverlap(handlings: Handling[]): number {
  let longest = 0;
  for (const [index, one] of handlings.entries()) {
    for (const other of handlings.slice(index + 1)) {
      if (one.id !== other.id) continue;
      longest = Math.max(longest, Math.min(one.to ?? 0, other.to ?? 0) - Math.max(one.from, other.from));
    }
  }
  return longest;
}
