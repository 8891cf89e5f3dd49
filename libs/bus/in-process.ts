import { AditError, elementAt } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { deadLetters } from './metrics.js';
import { ConsumerGroup } from './consumer-group.js';
import { deadLetterEnvelope, deadLettersOf, isDeadLetterTopic } from './dead-letter.js';
import { DEFAULT_DELIVERY_POLICY } from './retry-delay.js';
import type { DeliveryPolicy } from './retry-delay.js';
import { PartitionLog, partitionOf } from './partition-log.js';
import { groupName } from './port.js';
import type { Bus, OutgoingMessage, Subscription, SubscriptionOptions } from './port.js';
import { decodeMessage, encodeMessage, wireSchema } from './wire.js';

const logger = createLogger('bus');

export interface InProcessBusOptions {
  /** Partitions of each topic. */
  partitions?: number;
  /** Messages that a topic holds, shared evenly by its partitions; publishers wait when a partition's share is full. */
  capacity?: number;
  delivery?: Partial<DeliveryPolicy>;
  /** Time that a closing subscription waits for its handlers before their messages are given to others. */
  closeGraceMs?: number;
}

interface TopicState {
  logs: PartitionLog[];
  groups: Map<string, ConsumerGroup>;
}

/**
 * Kafka's semantics in the memory of one process. What it cannot do: it forgets everything when the process ends (the
 * outbox and the reconciler bring it back), and a group that subscribes for the first time sees what is still kept: all
 * that no other group has handled, back to the topic's capacity.
 */
export class InProcessBus implements Bus {
  readonly system = 'in-process';
  private readonly topics = new Map<string, TopicState>();
  private readonly subscriptions = new Set<Subscription>();
  private readonly partitions: number;
  private readonly partitionCapacity: number;
  private readonly policy: DeliveryPolicy;
  private readonly closeGraceMs: number;
  private closed = false;

  constructor(options: InProcessBusOptions = {}) {
    this.partitions = options.partitions ?? 16;
    this.partitionCapacity = Math.max(1, Math.ceil((options.capacity ?? 10_000) / this.partitions));
    this.policy = { ...DEFAULT_DELIVERY_POLICY, ...options.delivery };
    this.closeGraceMs = options.closeGraceMs ?? 30_000;
  }

  async publish(messages: OutgoingMessage[]): Promise<void> {
    this.assertOpen();
    // All are checked before the first is accepted.
    const encoded = messages.map((message) => ({ ...message, text: encodeMessage(message.topic, message) }));
    for (const { topic, key, text } of encoded) {
      this.assertOpen();
      const accepted = this.accept(topic, key, text);
      if (accepted !== undefined) await accepted;
    }
  }

  async subscribe(options: SubscriptionOptions): Promise<Subscription> {
    this.assertOpen();
    wireSchema(options.topic);
    if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
      throw new AditError('VALIDATION', `The concurrency of ${options.group} on ${options.topic} must be 1 or more.`);
    }
    const state = this.topic(options.topic);
    const name = groupName(options);
    const group = this.group(options.topic, name, options.group);
    if (options.ephemeral) state.logs.forEach((log, partition) => group.skipTo(partition, log.end));
    const leave = group.join(options);
    const subscription: Subscription = {
      close: async () => {
        this.subscriptions.delete(subscription);
        const left = leave();
        this.relieve(options.topic);
        await left;
        if (options.ephemeral) state.groups.delete(name);
      },
    };
    this.subscriptions.add(subscription);
    return subscription;
  }

  async lag(): Promise<{ group: string; topic: string; messages: number }[]> {
    return [...this.topics].flatMap(([topic, { groups }]) =>
      [...groups.values()].map((group) => ({ group: group.name, topic, messages: group.lag })),
    );
  }

  async ping(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    this.closed = true;
    const refusal = this.refusal();
    for (const { logs } of this.topics.values()) for (const log of logs) log.refuseWaiting(refusal);
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    for (const { groups } of this.topics.values()) for (const group of groups.values()) group.stop();
    this.topics.clear();
  }

  /** Undefined when the message was accepted at once. */
  private accept(topic: string, key: string, text: string): Promise<void> | undefined {
    const state = this.topic(topic);
    const partition = partitionOf(key, this.partitions);
    const log = elementAt(state.logs, partition);
    if (log.isFull && !this.isAwaited(state, partition)) this.dropOldest(topic, state, partition);
    const accepted = log.appendWhenSpace({ key, text });
    for (const group of state.groups.values()) group.wake();
    return accepted;
  }

  /** Tells whether a group that has members still has to handle the partition's oldest message: publishers wait only for those. */
  private isAwaited(state: TopicState, partition: number): boolean {
    const oldest = state.logs[partition]?.oldest ?? 0;
    return [...state.groups.values()].some((group) => group.hasMembers && group.needs(partition) <= oldest);
  }

  private dropOldest(topic: string, state: TopicState, partition: number): void {
    const log = elementAt(state.logs, partition);
    log.dropBefore(log.oldest + 1);
    for (const group of state.groups.values()) group.skipTo(partition, log.oldest);
    logger.warn({ topic, partition }, 'Nobody reads this topic: its oldest message was dropped');
  }

  private topic(topic: string): TopicState {
    let state = this.topics.get(topic);
    if (state === undefined) {
      const logs = Array.from({ length: this.partitions }, () => new PartitionLog(this.partitionCapacity));
      state = { logs, groups: new Map() };
      this.topics.set(topic, state);
    }
    return state;
  }

  private group(topic: string, name: string, shownAs: string): ConsumerGroup {
    const state = this.topic(topic);
    let group = state.groups.get(name);
    if (group === undefined) {
      group = new ConsumerGroup(
        {
          topic,
          group: shownAs,
          policy: this.policy,
          closeGraceMs: this.closeGraceMs,
          giveUp: ({ key, text }, error, deliveries) => this.giveUp(topic, shownAs, key, text, error, deliveries),
          committed: (partition) => this.forget(topic, state, partition),
        },
        state.logs,
      );
      state.groups.set(name, group);
    }
    return group;
  }

  /** Drops what every group has handled; publishers that waited for the room are let in. */
  private forget(topic: string, state: TopicState, partition: number): void {
    const log = elementAt(state.logs, partition);
    const needed = Math.min(...[...state.groups.values()].map((group) => group.needs(partition)));
    if (log.dropBefore(needed) > 0) for (const group of state.groups.values()) group.wake();
    this.relievePartition(topic, state, partition);
  }

  /** Lets in publishers that wait for a group which no longer has members. */
  private relieve(topic: string): void {
    const state = this.topic(topic);
    for (let partition = 0; partition < this.partitions; partition++) this.relievePartition(topic, state, partition);
  }

  private relievePartition(topic: string, state: TopicState, partition: number): void {
    while (state.logs[partition]?.hasWaiting && !this.isAwaited(state, partition)) {
      this.dropOldest(topic, state, partition);
    }
  }

  private giveUp(topic: string, group: string, key: string, text: string, error: AditError, deliveries: number): void {
    deadLetters.inc({ topic, group, code: error.code });
    if (isDeadLetterTopic(topic) || this.closed) return;
    const envelope = deadLetterEnvelope(decodeMessage(topic, text), error, { topic, group, deliveries });
    const letters = deadLettersOf(topic);
    const state = this.topic(letters);
    const partition = partitionOf(key, this.partitions);
    const log = elementAt(state.logs, partition);
    // A handler must not wait for the readers of its dead letters.
    if (log.isFull) this.dropOldest(letters, state, partition);
    log.append({ key, text: encodeMessage(letters, { key, envelope }) });
    for (const reader of state.groups.values()) reader.wake();
  }

  private assertOpen(): void {
    if (this.closed) throw this.refusal();
  }

  private refusal(): AditError {
    return new AditError('UNAVAILABLE', 'The bus is closed; this process is shutting down.');
  }
}
