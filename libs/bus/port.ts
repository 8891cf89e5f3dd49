import { randomUUID } from 'node:crypto';
import type { Envelope, Payload, Topic } from '@adit/contracts';
import type { DeadLetterTopic } from './dead-letter.js';

/** A message on its way out. `key` chooses the partition: messages of one key arrive in the order they were published. */
export interface OutgoingMessage<T extends Topic = Topic> {
  topic: T;
  key: string;
  envelope: Envelope & { payload: Payload<T> };
}

export interface ReceivedMessage {
  topic: string;
  key: string;
  envelope: Envelope;
}

export interface DeliveryContext {
  /** Number of times that this group was given this message, this time included; being handed over by a member that left does not count. */
  delivery: number;
  /** Aborts when the subscription closes; long work should end at its next safe point. */
  signal: AbortSignal;
}

export interface SubscriptionOptions {
  topic: Topic | DeadLetterTopic;
  /** Each group sees every message once; the members of a group share the partitions. */
  group: string;
  /**
   * A group for the life of this subscription alone, however many others there are of its name, by which metrics know them
   * all: it begins with what is published from now on and is forgotten when it closes. Otherwise a new group begins with the
   * oldest message that is kept.
   */
  ephemeral?: boolean;
  /** Partitions worked on at the same time by this member. */
  concurrency: number;
  /**
   * Milliseconds that the commit of a handled message may be late. Messages handled in that time may be delivered again
   * after a crash or a rebalance. Set it for many small messages, where each commit would be most of the work. Default
   * 0: a message is committed before the next one of its partition is delivered.
   */
  commitWithinMs?: number;
  /** Resolves when the work is done: the message is committed then, and never before. */
  handle(message: ReceivedMessage, context: DeliveryContext): Promise<void>;
}

export interface Subscription {
  /** Takes no more messages, waits for the handlers that run (up to their abort), hands the rest back. */
  close(): Promise<void>;
}

/**
 * The message bus: partitioned by key, at least once, in order within a key. A handler that throws a retryable error is
 * given the message again after a delay; after the last delivery, or on an error that is not retryable, the message goes
 * to the topic's dead-letter topic with the reason and the next one is taken.
 */
export interface Bus {
  /** Name of the system in traces. */
  readonly system: 'kafka' | 'in-process';
  /** Resolves when every message is accepted; waits while a partition is full (back-pressure). */
  publish(messages: OutgoingMessage[]): Promise<void>;
  subscribe(options: SubscriptionOptions): Promise<Subscription>;
  /** Messages accepted and not yet handled, for metrics: by group and topic. */
  lag(): Promise<{ group: string; topic: string; messages: number }[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token of the process's bus. */
export const BUS = Symbol('Bus');

/** The group that a driver keeps offsets for; `group` alone is what metrics, logs and dead letters call it. */
export function groupName({ group, ephemeral }: Pick<SubscriptionOptions, 'group' | 'ephemeral'>): string {
  return ephemeral === true ? `${group}-${randomUUID()}` : group;
}
