import { AditError, keysOf, TOPICS } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { Kafka } from 'kafkajs';
import type { Admin, RetryOptions } from 'kafkajs';
import { deadLetters } from './metrics.js';
import { deadLetterEnvelope, deadLettersOf, isDeadLetterTopic } from './dead-letter.js';
import { DEFAULT_DELIVERY_POLICY } from './retry-delay.js';
import type { DeliveryPolicy } from './retry-delay.js';
import type { HandledTopic } from './handles.js';
import { kafkaConnection } from './kafka-config.js';
import type { KafkaConfig } from './kafka-config.js';
import { isKafkaAnswer, kafkaError, withinTime } from './kafka-errors.js';
import { kafkaLog, kafkaLogLevel } from './kafka-log.js';
import { DEFAULT_TIMES, KafkaMember } from './kafka-member.js';
import type { MemberTimes } from './kafka-member.js';
import type { FetchedMessage } from './kafka-partition.js';
import { KafkaPublisher, REQUEST_TIMEOUT_MS } from './kafka-publisher.js';
import type { KafkaRecord } from './kafka-publisher.js';
import { KafkaSubscription } from './kafka-subscription.js';
import type { CommittedOffset } from './kafka-subscription.js';
import { KafkaTopics } from './kafka-topics.js';
import { groupName } from './port.js';
import type { Bus, OutgoingMessage, ReceivedMessage, Subscription, SubscriptionOptions } from './port.js';
import { decodeMessage, encodeMessage, wireSchema } from './wire.js';

const logger = createLogger('bus');

export interface KafkaBusOptions {
  delivery?: Partial<DeliveryPolicy>;
  /** Time that a closing subscription waits for its handlers before their messages are given to others. */
  closeGraceMs?: number;
  times?: Partial<MemberTimes>;
}

/** Who publishes or asks is told soon that Kafka is away; subscriptions try for ever by themselves. */
const SOON: RetryOptions = { retries: 2, initialRetryTime: 250, maxRetryTime: 1_000 };
const PING_MS = 1_500;
const LAG_MS = 5_000;
/** Characters of a foreign message that its dead letter keeps. */
const MAX_FOREIGN_CHARACTERS = 64 * 1024;

/**
 * The bus on Apache Kafka (2.1 or newer). At least once: a member that dies, or loses its partition, leaves the message
 * it was at to another. Deliveries of a message are counted beside the group's offset, where a delivery that killed its
 * process leaves no trace; the database counts those.
 */
export class KafkaBus implements Bus {
  readonly system = 'kafka';
  private readonly subscriptions = new Map<Subscription, { topic: HandledTopic; name: string; group: string }>();
  private readonly policy: DeliveryPolicy;
  private readonly closeGraceMs: number;
  private readonly times: MemberTimes;
  private readonly topics: KafkaTopics;
  private readonly publisher: KafkaPublisher;
  private readonly connection: ReturnType<typeof kafkaConnection>;
  private connecting: Promise<Admin> | null = null;
  private closed = false;

  /** Throws AditError VALIDATION when the configuration does not say how to reach Kafka. Connects at the first use. */
  constructor(config: KafkaConfig, options: KafkaBusOptions = {}) {
    this.connection = kafkaConnection(config);
    this.policy = { ...DEFAULT_DELIVERY_POLICY, ...options.delivery };
    this.closeGraceMs = options.closeGraceMs ?? 30_000;
    this.times = { ...DEFAULT_TIMES, ...options.times };
    this.publisher = new KafkaPublisher(this.client({ retry: SOON, requestTimeout: REQUEST_TIMEOUT_MS }));
    this.topics = new KafkaTopics(() => this.admin(), {
      prefix: config.kafkaTopicPrefix,
      partitions: config.kafkaPartitions,
      growsPartitions: config.kafkaGrowPartitions,
      replicationFactor: config.kafkaReplicationFactor,
    });
  }

  /** Creates and checks all topics that have fixed names, so that nobody waits for them later. Throws UNAVAILABLE. */
  async prepare(): Promise<void> {
    await this.topics.ensure(keysOf(TOPICS));
  }

  async publish(messages: OutgoingMessage[]): Promise<void> {
    this.assertOpen();
    // All are checked before the first is sent.
    const records = messages.map(({ topic, key, envelope }) => this.record(topic, { key, envelope }));
    await this.topics.ensure([...new Set(messages.map(({ topic }) => topic))]);
    this.assertOpen();
    await this.send(records);
  }

  async subscribe(options: SubscriptionOptions): Promise<Subscription> {
    this.assertOpen();
    wireSchema(options.topic);
    if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
      throw new AditError('VALIDATION', `The concurrency of ${options.group} on ${options.topic} must be 1 or more.`);
    }
    const name = groupName(options);
    const inner = new KafkaSubscription({
      ...options,
      policy: this.policy,
      closeGraceMs: this.closeGraceMs,
      committed: () => this.committed(name, options.topic),
      oldest: () => this.oldest(options.topic),
      decode: (message) => received(options.topic, message),
      giveUp: (message, error, deliveries) => this.giveUp(options.topic, options.group, message, error, deliveries),
    });
    const member = new KafkaMember({
      kafka: this.client({ requestTimeout: 10_000, retry: SOON }),
      topic: this.topics.nameOf(options.topic),
      group: this.topics.groupOf(name, options.topic),
      ephemeral: options.ephemeral ?? false,
      times: this.times,
      prepare: () => this.topics.ensure([options.topic]),
      fetched: (partition, messages, endOfLog) => inner.fetched(partition, messages, endOfLog),
      assigned: (partitions, continuous) => inner.assigned(partitions, continuous),
      orphaned: () => inner.orphaned(),
      holdings: () => inner.holdings(),
    });
    inner.joinAs(member);
    const subscription: Subscription = {
      close: async () => {
        await inner.close();
        this.subscriptions.delete(subscription);
        if (options.ephemeral) await this.forget(name, options.topic);
      },
    };
    this.subscriptions.set(subscription, { topic: options.topic, name, group: options.group });
    try {
      await member.start();
    } catch (error) {
      await subscription.close();
      throw error;
    }
    return subscription;
  }

  /** Brokers forget an empty group by themselves, but only after days. */
  private async forget(name: string, topic: HandledTopic): Promise<void> {
    try {
      await (await this.admin()).deleteGroups([this.topics.groupOf(name, topic)]);
    } catch (error) {
      logger.debug({ err: error, group: name }, 'An ephemeral group is left to the brokers to forget');
    }
  }

  /**
   * Lag of the groups that this process is a member of. Every member sees the same number: take the largest, not the
   * sum.
   */
  async lag(): Promise<{ group: string; topic: string; messages: number }[]> {
    this.assertOpen();
    const read = new Map([...this.subscriptions.values()].map((one) => [`${one.name} ${one.topic}`, one]));
    try {
      const lags = [...read.values()].map(async ({ name, group, topic }) => {
        const admin = await this.admin();
        const [ends, committed] = await Promise.all([
          admin.fetchTopicOffsets(this.topics.nameOf(topic)),
          this.committed(name, topic),
        ]);
        const stands = new Map(committed.map(({ partition, offset }) => [partition, offset]));
        const messages = ends.reduce((sum, { partition, low, high }) => {
          const oldest = BigInt(low);
          const position = stands.get(partition) ?? oldest;
          return sum + Number(BigInt(high) - (position > oldest ? position : oldest));
        }, 0);
        return { group, topic, messages };
      });
      return await withinTime(LAG_MS, 'say how far its groups are', Promise.all(lags));
    } catch (error) {
      throw kafkaError(error, 'say how far its groups are');
    }
  }

  async ping(): Promise<void> {
    this.assertOpen();
    try {
      await withinTime(
        PING_MS,
        'answer',
        this.admin().then((admin) => admin.describeCluster()),
      );
    } catch (error) {
      throw kafkaError(error, 'answer');
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.subscriptions.keys()].map((subscription) => subscription.close()));
    await this.publisher.close();
    const admin = await this.connecting?.catch(() => null);
    await admin?.disconnect().catch(() => undefined);
  }

  private client(options: { retry: RetryOptions; requestTimeout: number }): Kafka {
    return new Kafka({
      ...this.connection,
      ...options,
      connectionTimeout: 3_000,
      authenticationTimeout: 5_000,
      logCreator: kafkaLog,
      logLevel: kafkaLogLevel(),
    });
  }

  private admin(): Promise<Admin> {
    this.connecting ??= (async () => {
      const admin = this.client({ retry: SOON, requestTimeout: REQUEST_TIMEOUT_MS }).admin();
      try {
        await admin.connect();
        return admin;
      } catch (error) {
        this.connecting = null;
        void admin.disconnect().catch(() => undefined);
        throw error;
      }
    })();
    return this.connecting;
  }

  private record(topic: HandledTopic, message: ReceivedOf): KafkaRecord {
    const { traceparent } = message.envelope;
    return {
      topic: this.topics.nameOf(topic),
      key: message.key,
      text: encodeMessage(topic, message),
      headers: traceparent === null ? {} : { traceparent },
    };
  }

  private async send(records: KafkaRecord[]): Promise<void> {
    try {
      await this.publisher.publish(records);
    } catch (error) {
      if (isKafkaAnswer(error, 'UNKNOWN_TOPIC_OR_PARTITION')) this.topics.forget();
      throw error;
    }
  }

  private async committed(group: string, topic: HandledTopic): Promise<CommittedOffset[]> {
    const admin = await this.admin();
    const topics = [this.topics.nameOf(topic)];
    const [found] = await admin.fetchOffsets({ groupId: this.topics.groupOf(group, topic), topics });
    return (found?.partitions ?? []).map(({ partition, offset, metadata }) => ({
      partition,
      offset: Number(offset) < 0 ? null : BigInt(offset),
      note: metadata ?? '',
    }));
  }

  private async oldest(topic: HandledTopic): Promise<Map<number, bigint>> {
    const offsets = await (await this.admin()).fetchTopicOffsets(this.topics.nameOf(topic));
    return new Map(offsets.map(({ partition, low }) => [partition, BigInt(low)]));
  }

  private async giveUp(
    topic: HandledTopic,
    group: string,
    message: FetchedMessage,
    error: AditError,
    deliveries: number,
  ): Promise<void> {
    if (!isDeadLetterTopic(topic)) {
      const letters = deadLettersOf(topic);
      const envelope = deadLetterEnvelope(envelopeOf(topic, message), error, { topic, group, deliveries });
      const key = message.key === '' ? 'none' : message.key;
      await this.topics.ensure([letters]);
      await this.send([this.record(letters, { key, envelope })]);
    }
    deadLetters.inc({ topic, group, code: error.code });
  }

  private assertOpen(): void {
    if (this.closed) throw new AditError('UNAVAILABLE', 'The bus is closed; this process is shutting down.');
  }
}

type ReceivedOf = Pick<ReceivedMessage, 'key' | 'envelope'>;

function received(topic: string, { key, text, traceparent }: FetchedMessage): ReceivedMessage {
  const envelope = decodeMessage(topic, text ?? '');
  return { topic, key, envelope: { ...envelope, traceparent: envelope.traceparent ?? traceparent } };
}

/** The envelope of a message that is given up; one is made for what is none of ours. */
function envelopeOf(topic: string, message: FetchedMessage): ReceivedMessage['envelope'] {
  try {
    return decodeMessage(topic, message.text ?? '');
  } catch {
    logger.warn({ topic, offset: String(message.offset) }, 'A message is none of ours');
    return {
      id: `${topic}/${message.offset}`,
      jobId: 'unknown',
      traceparent: message.traceparent,
      attempt: 1,
      occurredAt: new Date().toISOString(),
      payload: message.text?.slice(0, MAX_FOREIGN_CHARACTERS) ?? null,
    };
  }
}
