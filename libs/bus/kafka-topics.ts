import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { Admin, ITopicConfig, ITopicMetadata } from 'kafkajs';
import { deadLettersOf, isDeadLetterTopic } from './dead-letter.js';
import { isKafkaAnswer, kafkaError } from './kafka-errors.js';
import type { HandledTopic } from './handles.js';

const logger = createLogger('bus');

/** Time that a topic that was just made may be unknown to a broker. */
const SERVED_WITHIN_MS = 10_000;
const POLL_MS = 50;

interface KafkaTopicOptions {
  prefix: string;
  partitions: number;
  /** Topics that have fewer partitions get more. */
  growsPartitions: boolean;
  replicationFactor: number;
}

interface SmallTopic {
  topic: string;
  partitions: number;
  wanted: number;
}

const TOO_FEW =
  'The topic has fewer partitions than KAFKA_PARTITIONS: no more decoders than that share its work. ' +
  'KAFKA_GROW_PARTITIONS=true adds them; keys change their partition then';

/** Names Kafka knows our topics and groups by, and the topics' creation. */
export class KafkaTopics {
  private readonly ready = new Map<string, Promise<void>>();

  constructor(
    private readonly admin: () => Promise<Admin>,
    private readonly options: KafkaTopicOptions,
  ) {}

  nameOf(topic: string): string {
    return `${this.options.prefix}${topic}`;
  }

  /** A Kafka group for each topic that a group reads: then what happens at one topic does not stop the others. */
  groupOf(group: string, topic: string): string {
    return `${this.options.prefix}${group}.${topic}`;
  }

  /**
   * Resolves when the topics and those of their dead letters are served; creates what is missing. A topic is looked at once.
   * Throws AditError UNAVAILABLE when Kafka is away or does not let us create or grow one.
   */
  async ensure(topics: HandledTopic[]): Promise<void> {
    const wanted = topics.flatMap((topic) => (isDeadLetterTopic(topic) ? [topic] : [topic, deadLettersOf(topic)]));
    const unknown = [...new Set(wanted)].filter((topic) => !this.ready.has(topic));
    if (unknown.length > 0) {
      const checking = this.check(unknown);
      for (const topic of unknown) this.ready.set(topic, checking);
      checking.catch(() => {
        for (const topic of unknown) this.ready.delete(topic);
      });
    }
    await Promise.all(wanted.map((topic) => this.ready.get(topic)));
  }

  /** Somebody took a topic away: look again before the next use. */
  forget(): void {
    this.ready.clear();
  }

  private async check(topics: HandledTopic[]): Promise<void> {
    try {
      const admin = await this.admin();
      const there = new Set(await admin.listTopics());
      const missing = topics.filter((topic) => !there.has(this.nameOf(topic)));
      if (missing.length > 0) await this.create(admin, missing);
      const small = this.smallOf(
        await this.served(admin, topics),
        topics.filter((topic) => there.has(this.nameOf(topic))),
      );
      if (this.options.growsPartitions) await this.grow(admin, small);
      else for (const each of small) logger.warn(each, TOO_FEW);
    } catch (error) {
      throw this.explained(error, topics);
    }
  }

  private async create(admin: Admin, topics: HandledTopic[]): Promise<void> {
    // False: another process was faster.
    const created = await admin.createTopics({
      topics: topics.map((topic) => this.wanted(topic)),
      // `served` waits, also for what another process has made.
      waitForLeaders: false,
      timeout: 10_000,
    });
    if (created) logger.info({ topics: topics.map((topic) => this.nameOf(topic)) }, 'Topics created');
  }

  /**
   * Returns Kafka's metadata of the topics once all their partitions have a leader. A broker learns of a new topic a
   * moment after its creation, and would refuse a member of a group until then.
   */
  private async served(admin: Admin, topics: HandledTopic[]): Promise<ITopicMetadata[]> {
    const names = topics.map((topic) => this.nameOf(topic));
    for (const end = performance.now() + SERVED_WITHIN_MS; ; await sleep(POLL_MS)) {
      try {
        return (await admin.fetchTopicMetadata({ topics: names })).topics;
      } catch (error) {
        const early = isKafkaAnswer(error, 'UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE');
        if (!early || performance.now() > end) throw error;
      }
    }
  }

  private wanted(topic: HandledTopic): ITopicConfig {
    const { replicationFactor } = this.options;
    // With three copies a message is safe once two have it, and one broker may be away.
    const configEntries = replicationFactor > 2 ? [{ name: 'min.insync.replicas', value: '2' }] : [];
    return { topic: this.nameOf(topic), numPartitions: this.partitionsOf(topic), replicationFactor, configEntries };
  }

  /** Dead letters are few and read by people. */
  private partitionsOf(topic: HandledTopic): number {
    return isDeadLetterTopic(topic) ? 1 : this.options.partitions;
  }

  /** Topics with fewer partitions than are configured. */
  private smallOf(found: ITopicMetadata[], topics: HandledTopic[]): SmallTopic[] {
    return topics.flatMap((topic) => {
      const partitions = found.find(({ name }) => name === this.nameOf(topic))?.partitions.length ?? 0;
      const wanted = this.partitionsOf(topic);
      return partitions < wanted ? [{ topic: this.nameOf(topic), partitions, wanted }] : [];
    });
  }

  /** Adds the partitions that are missing. Several processes may: one of them does, and the others find them. */
  private async grow(admin: Admin, small: readonly SmallTopic[]): Promise<void> {
    for (const each of small) {
      const { topic, wanted: count } = each;
      try {
        await admin.createPartitions({ topicPartitions: [{ topic, count }], timeout: 10_000 });
        logger.warn(each, 'Partitions were added: keys of messages from now on may have another partition than before');
      } catch (error) {
        // Another process has added as many, or more.
        if (!isKafkaAnswer(error, 'INVALID_PARTITIONS')) throw error;
      }
    }
  }

  private explained(error: unknown, topics: HandledTopic[]): AditError {
    if (!isKafkaAnswer(error, 'TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED')) {
      return kafkaError(error, 'look at its topics');
    }
    const list = topics.map((topic) => `${this.nameOf(topic)} (partitions: ${this.partitionsOf(topic)})`).join(', ');
    return new AditError(
      'UNAVAILABLE',
      `Kafka does not let this user create or alter topics. Do it or grant it: ${list}.`,
      { cause: error },
    );
  }
}
