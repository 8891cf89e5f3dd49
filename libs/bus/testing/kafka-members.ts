import { uniqueName } from '@adit/testing';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { KafkaConfig } from '../kafka-config.js';
import { KafkaBus } from '../kafka.js';
import type { KafkaBusOptions } from '../kafka.js';
import type { DeliveryContext, OutgoingMessage, ReceivedMessage, SubscriptionOptions } from '../port.js';
import { within } from './within.js';

const TIMEOUT_MS = 120_000;
/** The shortest session that brokers grant by default. */
export const SESSION_MS = 6_000;

export const chunk = (chunkId: string, key = chunkId): OutgoingMessage<'chunks.requested'> => ({
  topic: 'chunks.requested',
  key,
  envelope: { id: chunkId, jobId: 'job', traceparent: null, attempt: 1, occurredAt: 'now', payload: { chunkId } },
});
export const range = (count: number) => Array.from({ length: count }, (_, index) => index);

export interface Handling {
  id: string;
  key: string;
  delivery: number;
  from: number;
  /** Null while it runs. */
  to: number | null;
  finished: boolean;
}

/** Members of Kafka groups, each on a bus of its own, under another prefix in each test. */
export function kafkaMembers(brokers: string[]) {
  const state: { prefix: string; buses: KafkaBus[] } = { prefix: '', buses: [] };
  const open = (options: KafkaBusOptions = {}) => {
    const config = KafkaConfig.parse({ kafkaBrokers: brokers, kafkaTopicPrefix: state.prefix });
    const bus = new KafkaBus(config, {
      delivery: { baseMs: 5, maxMs: 20 },
      closeGraceMs: 5_000,
      times: { sessionTimeoutMs: SESSION_MS, heartbeatMs: 100, maxWaitMs: 100 },
      ...options,
    });
    state.buses.push(bus);
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
    state.prefix = `${uniqueName('members')}.`;
    state.buses = [];
  });
  afterEach(() => Promise.all(state.buses.map((bus) => bus.close())));

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
    const { topics } = await admin.fetchTopicMetadata({ topics: [`${state.prefix}${topic}`] });
    await admin.disconnect();
    return topics[0]?.partitions.length;
  };
  return { state, open, join, eventually, ids, lagOf, client, produce, headersIn, partitionsOf };
}
