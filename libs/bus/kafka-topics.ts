import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { Admin, ITopicConfig } from 'kafkajs';
import { deadLettersOf, isDeadLetterTopic } from './dead-letter.js';
import { isKafkaAnswer, kafkaError } from './kafka-errors.js';
import type { HandledTopic } from './handles.js';

const logger = createLogger('bus');

export interface KafkaTopicOptions {
  prefix: string;
  partitions: number;
  replicationFactor: number;
}

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
   * Resolves when the topics and those of their dead letters exist; creates what is missing. A topic is looked at once.
   * Throws AditError UNAVAILABLE when Kafka is away or does not let us create one.
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
      const present = topics.filter((topic) => there.has(this.nameOf(topic)));
      if (present.length > 0) await this.compare(admin, present);
    } catch (error) {
      throw this.explained(error, topics);
    }
  }

  private async create(admin: Admin, topics: HandledTopic[]): Promise<void> {
    // False: another process was faster.
    const created = await admin.createTopics({
      topics: topics.map((topic) => this.wanted(topic)),
      waitForLeaders: true,
      timeout: 10_000,
    });
    if (created) logger.info({ topics: topics.map((topic) => this.nameOf(topic)) }, 'Topics created');
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

  private async compare(admin: Admin, topics: HandledTopic[]): Promise<void> {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: topics.map((topic) => this.nameOf(topic)) });
    for (const topic of topics) {
      const partitions = found.find(({ name }) => name === this.nameOf(topic))?.partitions.length ?? 0;
      const wanted = this.partitionsOf(topic);
      if (partitions >= wanted) continue;
      logger.warn(
        { topic: this.nameOf(topic), partitions, wanted },
        'The topic has fewer partitions than KAFKA_PARTITIONS: no more processes than that share its work. ' +
          'Add partitions with Kafka’s own tools while nothing runs; keys change their partition then',
      );
    }
  }

  private explained(error: unknown, topics: HandledTopic[]): AditError {
    if (!isKafkaAnswer(error, 'TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED')) {
      return kafkaError(error, 'look at its topics');
    }
    const list = topics.map((topic) => `${this.nameOf(topic)} (partitions: ${this.partitionsOf(topic)})`).join(', ');
    return new AditError(
      'UNAVAILABLE',
      `Kafka does not let this user create topics. Create them or grant it: ${list}.`,
      { cause: error },
    );
  }
}
