/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { analysisTopic } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { describeWith, uniqueName } from '@adit/testing';
import { expect, it } from '@jest/globals';
import type { DeadLetter } from './dead-letter.js';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';
import type { ReceivedMessage } from './port.js';
import { kafkaMembers, chunk, range, SESSION_MS } from './testing/kafka-members.js';

configureLogging({ level: 'silent' });

await describeWith('kafka', 'topics and offsets of a Kafka group', ({ kafka }) => {
  const brokers = kafka.brokers.split(',');
  const { state, open, join, eventually, ids, lagOf, client, produce, headersIn, partitionsOf } = kafkaMembers(brokers);

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
    await produce(`${state.prefix}chunks.requested`, [
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
    await produce(`${state.prefix}chunks.requested`, [
      { key: 'k', value: JSON.stringify(envelope), headers: { traceparent } },
    ]);
    await bus.publish([{ ...chunk('sent', 'k'), envelope: { ...envelope, id: 'sent', traceparent } }]);
    await join(async (message) => void traces.push(message.envelope.traceparent));
    await eventually(() => expect(traces).toEqual([traceparent, traceparent]));
    expect(await headersIn(`${state.prefix}chunks.requested`, 2)).toEqual([traceparent, traceparent]);
  });

  it('members find their topics made as configured, and warn of those with too few partitions', async () => {
    const lines: Record<string, unknown>[] = [];
    const config = (partitions: number) =>
      KafkaConfig.parse({ kafkaBrokers: brokers, kafkaTopicPrefix: state.prefix, kafkaPartitions: partitions });
    const small = new KafkaBus(config(2));
    const large = new KafkaBus(config(5));
    state.buses.push(small, large);
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
      { level: 'warn', topic: `${state.prefix}analyses.faces.requested`, partitions: 2, wanted: 5 },
    ]);
    expect(lines[0]?.msg).toContain('fewer partitions than KAFKA_PARTITIONS');
  });

  /** @hardening jobs: Messages are lost while a topic gets more partitions */
  it('members find more partitions where they are to be added, and lose no message by it', async () => {
    const config = (partitions: number, kafkaGrowPartitions: boolean) =>
      KafkaConfig.parse({
        ...{ kafkaBrokers: brokers, kafkaTopicPrefix: state.prefix },
        ...{ kafkaPartitions: partitions, kafkaGrowPartitions },
      });
    const times = { heartbeatMs: 100, maxWaitMs: 100 };
    const small = new KafkaBus(config(2, false), { times });
    const seen: string[] = [];
    const handle = async ({ envelope }: ReceivedMessage) => void seen.push(envelope.id);
    const topic = 'chunks.requested' as const;
    state.buses.push(small);
    await small.publish(range(8).map((n) => chunk(`before-${n}`, `k${n}`)));
    await join(handle, { bus: small });
    // Two that grow at the same time, and one that is content with fewer.
    const [one, other, fewer] = [5, 5, 3].map((count) => new KafkaBus(config(count, true), { times })) as [
      KafkaBus,
      KafkaBus,
      KafkaBus,
    ];
    state.buses.push(one, other, fewer);
    await Promise.all([one.prepare(), other.prepare()]);
    await fewer.prepare();
    // Brokers learn of it a moment later.
    await eventually(async () => expect(await partitionsOf(topic)).toBe(5));
    expect(await partitionsOf(`${topic}.dead-letters`)).toBe(1);
    await small.publish(range(8).map((n) => chunk(`old-${n}`, `k${n}`)));
    await one.publish(range(40).map((n) => chunk(`new-${n}`, `k${n}`)));
    await join(handle, { bus: other });
    const sent = [...range(8).flatMap((n) => [`before-${n}`, `old-${n}`]), ...range(40).map((n) => `new-${n}`)];
    await eventually(() => expect([...new Set(seen)].sort()).toEqual(sent.sort()));
  });

  it('members wait for topics that another process is just making', async () => {
    // The brokers make their own topic of groups when the first one comes.
    await join(async () => undefined);
    const lines: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      state.prefix = `${uniqueName()}.`;
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
      await Promise.all(state.buses.splice(0).map((bus) => bus.close()));
    }
    expect(lines).toEqual([]);
  });

  it('members know the group’s position in every partition, though nothing came, and though Kafka forgot it', async () => {
    const topic = `${state.prefix}chunks.requested`;
    const admin = client().admin();
    await admin.connect();
    const stands = async () => {
      const [found] = await admin.fetchOffsets({ groupId: `${state.prefix}decoder.chunks.requested`, topics: [topic] });
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
      await admin.deleteGroups([`${state.prefix}decoder.chunks.requested`]);
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
    const topic = `${state.prefix}chunks.requested`;
    await open().prepare();
    const consumer = client().consumer({
      groupId: `${state.prefix}thrown-out`,
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
});
