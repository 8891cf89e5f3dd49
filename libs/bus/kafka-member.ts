import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay, createLogger } from '@adit/runtime';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { stickyAssigner } from './kafka-assigner.js';
import { isRefused, kafkaError, withinTime } from './kafka-errors.js';
import type { FetchedMessage, KafkaPartition } from './kafka-partition.js';

const logger = createLogger('bus');

export interface MemberTimes {
  /** A member that Kafka does not hear of for so long loses its partitions to the others. */
  sessionTimeoutMs: number;
  heartbeatMs: number;
  /** Time that the other members wait for one that is slow to join again. */
  rebalanceTimeoutMs: number;
  /** The longest that Kafka holds a request for new messages; a member that leaves waits for its end. */
  maxWaitMs: number;
}

export const DEFAULT_TIMES: MemberTimes = {
  sessionTimeoutMs: 10_000,
  heartbeatMs: 1_000,
  rebalanceTimeoutMs: 20_000,
  maxWaitMs: 500,
};

interface MemberOptions {
  /** A client of its own: kafkajs mixes up the offsets of two members of one group on one client. */
  kafka: Kafka;
  /** Kafka's names. */
  topic: string;
  group: string;
  /** Begins with what is published from now on. */
  ephemeral: boolean;
  times: MemberTimes;
  /** Makes the topic if it is missing. */
  prepare(): Promise<void>;
  /** Receives fetched messages of a partition; must not wait for the work on them. */
  fetched(partition: number, messages: FetchedMessage[], endOfLog: bigint): void;
  /** `continuous`: nobody else can have had what was ours before and is ours now. */
  assigned(partitions: number[], continuous: boolean): void;
  /** The connection to the group is lost, until `assigned` is called again. */
  orphaned(): void;
  holdings(): { owned: number[]; busy: number[] };
}

interface Commit {
  partition: number;
  offset: string;
  metadata: string;
  resolve(): void;
  reject(error: unknown): void;
}

/** The longest pause between two attempts to come back. */
const RECONNECT = { baseMs: 250, maxMs: 3_000 };
/** kafkajs answers to nothing for so long: it hangs, and is started anew. Longer than a rebalance. */
const STALLED_MS = 45_000;
const DISCONNECT_MS = 5_000;

/**
 * One member of a consumer group, kept alive for ever: kafkajs's consumer is made anew when it crashes or hangs. Batches
 * are handed over and never worked on inside kafkajs's loop, so that loop always has time for heartbeats and rebalances,
 * however long a handler takes.
 */
export class KafkaMember {
  private readonly scope = new AsyncResource('KafkaMember');
  private consumer: Consumer | null = null;
  private memberId: string | null = null;
  /** Offsets that Kafka confirmed last, by partition. */
  private readonly committed = new Map<number, string>();
  /** Commits that wait for the request that is on its way. */
  private waiting: Commit[] = [];
  private committing: Promise<void> | null = null;
  private closing = false;
  /** Said in the log, once. */
  private away = false;
  private stop: () => void = () => undefined;
  private readonly stopped = new Promise<void>((resolve) => (this.stop = resolve));
  private joining: Promise<void> = Promise.resolve();
  private living: Promise<void> = Promise.resolve();

  constructor(private readonly options: MemberOptions) {}

  /**
   * Resolves when the member is connected, or when Kafka turned out to be away: then it goes on trying. Throws AditError
   * UNAVAILABLE when trying again cannot help: the brokers refuse this user.
   */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.living = this.scope.runInAsyncScope(() => this.live(resolve, reject));
    });
  }

  /**
   * Commits that everything before `offset` is handled; `note` is kept with it. What comes while a request is on its way goes
   * with the next one, all partitions together: a request costs Kafka as much for one as for all.
   */
  commit(partition: number, offset: bigint, note = ''): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ partition, offset: String(offset), metadata: note, resolve, reject });
      this.committing ??= this.scope.runInAsyncScope(() => this.commitWaiting());
    });
  }

  /** Never rejects. */
  private async commitWaiting(): Promise<void> {
    // Commits of this iteration of the event loop go together.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const commits = this.waiting.splice(0);
      try {
        if (this.consumer === null) throw new Error('not connected');
        const { topic } = this.options;
        await this.consumer.commitOffsets(
          commits.map(({ partition, offset, metadata }) => ({ topic, partition, offset, metadata })),
        );
        for (const { partition, offset, resolve, reject } of commits) {
          // kafkajs resolves without having asked Kafka while it is starting or crashing.
          if (this.committed.get(partition) === offset) resolve();
          else reject(new Error('not committed'));
        }
      } catch (error) {
        for (const { reject } of commits) reject(error);
      }
    }
    this.committing = null;
  }

  pause({ number, paused }: KafkaPartition): void {
    if (this.consumer === null || this.memberId === null) return;
    const which = [{ topic: this.options.topic, partitions: [number] }];
    try {
      if (paused) this.consumer.pause(which);
      else this.consumer.resume(which);
    } catch (error) {
      logger.debug({ err: error }, 'The consumer is stopping: it fetches nothing anyway');
    }
  }

  /** Leaves the group at once. */
  async close(): Promise<void> {
    this.closing = true;
    // A member that leaves while it joins would be waited for by the others.
    await withinTime(DISCONNECT_MS, 'join', this.joining).catch(() => undefined);
    this.stop();
    await this.living;
  }

  /** One consumer after the other. Never rejects. */
  private async live(connected: () => void, refused: (error: unknown) => void): Promise<void> {
    let failures = 0;
    while (!this.closing) {
      const began = performance.now();
      try {
        await this.options.prepare();
        await this.liveOnce(connected);
      } catch (error) {
        const { group, topic } = this.options;
        if (!this.away) {
          logger.warn({ group, topic, err: kafkaError(error, 'keep this member') }, 'Kafka is away; trying again');
        }
        this.away = true;
        // The first attempt says so to who subscribes; later the setting may have been mended on the brokers' side.
        if (isRefused(error)) refused(kafkaError(error, 'let us subscribe'));
        connected();
        failures = performance.now() - began > 30_000 ? 1 : failures + 1;
      }
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- changes while it connects
      if (this.closing) break;
      await Promise.race([sleep(backoffDelay(failures, RECONNECT)), this.stopped]);
    }
    connected();
  }

  /** From connecting to the crash, or to the end. Throws what it died of. */
  private async liveOnce(connected: () => void): Promise<void> {
    const { kafka, group: groupId, topic, times } = this.options;
    const consumer = kafka.consumer({
      groupId,
      sessionTimeout: times.sessionTimeoutMs,
      heartbeatInterval: times.heartbeatMs,
      rebalanceTimeout: times.rebalanceTimeoutMs,
      maxWaitTimeInMs: times.maxWaitMs,
      maxBytesPerPartition: 512 * 1024,
      allowAutoTopicCreation: false,
      partitionAssigners: [stickyAssigner(() => this.options.holdings())],
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
    });
    const dead = this.watch(consumer);
    try {
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: !this.options.ephemeral });
      if (this.closing) return;
      this.consumer = consumer;
      this.joining = consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: true,
        eachBatch: async (payload) => this.hand(consumer, payload),
      });
      this.joining.catch(() => undefined);
      connected();
      await Promise.race([this.joining, dead.promise]);
      await Promise.race([this.stopped, dead.promise]);
    } finally {
      dead.cancel();
      this.consumer = null;
      this.memberId = null;
      if (!this.closing) this.options.orphaned();
      await withinTime(DISCONNECT_MS, 'disconnect', consumer.disconnect()).catch(() => undefined);
    }
  }

  /** A promise that rejects when the consumer crashes or shows no sign of life. */
  private watch(consumer: Consumer): { promise: Promise<never>; cancel: () => void } {
    let sign = performance.now();
    let fail: (error: unknown) => void;
    const promise = new Promise<never>((_, reject) => (fail = reject));
    promise.catch(() => undefined);
    const timer = setInterval(() => {
      if (performance.now() - sign > STALLED_MS) fail(new Error('the consumer hangs'));
    }, 1_000);
    const alive = () => void (sign = performance.now());
    const { CRASH, FETCH, HEARTBEAT, GROUP_JOIN, COMMIT_OFFSETS } = consumer.events;
    consumer.on(CRASH, ({ payload }) => fail(payload.error));
    consumer.on(FETCH, alive);
    consumer.on(HEARTBEAT, alive);
    consumer.on(COMMIT_OFFSETS, ({ payload }) => {
      const offsets = payload.topics.flatMap(({ partitions }) => partitions);
      for (const { partition, offset } of offsets) this.committed.set(Number(partition), String(offset));
    });
    consumer.on(GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      alive();
      if (this.consumer !== consumer) return;
      // Kafka keeps a member's name as long as it never threw it out.
      const continuous = this.memberId === memberId;
      this.memberId = memberId;
      if (this.away) logger.info({ group: this.options.group, topic: this.options.topic }, 'Kafka is back');
      this.away = false;
      const partitions = memberAssignment[this.options.topic] ?? [];
      logger.debug({ group: this.options.group, partitions, continuous }, 'Partitions assigned');
      // Waiting requests belong to the assignment before. A member of the new one that sent them could take the group
      // back.
      for (const { reject } of this.waiting.splice(0)) reject(new Error('partitions were assigned anew'));
      this.options.assigned(partitions, continuous);
    });
    return { promise, cancel: () => clearInterval(timer) };
  }

  private hand(consumer: Consumer, { batch }: EachBatchPayload): void {
    if (this.consumer !== consumer) return;
    this.options.fetched(batch.partition, batch.messages.map(decode), BigInt(batch.highWatermark));
  }
}

function decode({ offset, key, value, headers, timestamp }: KafkaMessage): FetchedMessage {
  const traceparent = headers?.traceparent;
  return {
    offset: BigInt(offset),
    key: key?.toString() ?? '',
    text: value?.toString() ?? null,
    traceparent: traceparent === undefined ? null : String(traceparent),
    time: Number(timestamp),
  };
}
