import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { afterFailure } from './retry-delay.js';
import type { DeliveryPolicy } from './retry-delay.js';
import type { KafkaMember } from './kafka-member.js';
import { KafkaPartition, Work } from './kafka-partition.js';
import type { FetchedMessage } from './kafka-partition.js';
import type { ReceivedMessage, Subscription, SubscriptionOptions } from './port.js';

const logger = createLogger('bus');

/** Position of a group in one partition, as Kafka keeps it. */
export interface CommittedOffset {
  partition: number;
  offset: bigint | null;
  note: string;
}

interface KafkaSubscriptionOptions extends SubscriptionOptions {
  policy: DeliveryPolicy;
  /** Time that a closing member waits for its handlers before their messages are given to others. */
  closeGraceMs: number;
  /** Returns the current positions of the group. */
  committed(): Promise<CommittedOffset[]>;
  /** The oldest message that Kafka still has, by partition: where a group begins that stands nowhere. */
  oldest(): Promise<Map<number, bigint>>;
  /** Throws AditError VALIDATION for what is none of our messages. */
  decode(message: FetchedMessage): ReceivedMessage;
  /** Stores a dead letter. */
  giveUp(message: FetchedMessage, error: AditError, deliveries: number): Promise<void>;
}

/** Pause before Kafka is asked again for something that blocks the subscription. */
const AGAIN_MS = 250;

/**
 * The work of one member: up to `concurrency` partitions at once, a message of each at a time, committed when it is
 * done. A failed delivery waits in place, so a partition keeps its order and the others go on; how often it failed is
 * noted beside the group's offset, so the count outlives the process (a crash in the middle of a delivery is not
 * counted here, but in the database).
 */
export class KafkaSubscription implements Subscription {
  private readonly scope = new AsyncResource('BusSubscription');
  private readonly partitions = new Map<number, KafkaPartition>();
  private readonly working = new Set<Work>();
  private member!: KafkaMember;
  private closing: Promise<void> | null = null;
  private released = false;
  /** Partitions of which more is handled than committed, and when that is made good; only with `commitWithinMs`. */
  private readonly uncommitted = new Set<KafkaPartition>();
  private later: NodeJS.Timeout | null = null;
  private committing: Promise<void> = Promise.resolve();
  /** Counts assignments; what was asked for an older one is dropped. */
  private assignment = 0;

  constructor(private readonly options: KafkaSubscriptionOptions) {}

  /** Called once; the member calls back `fetched`, `assigned` and `orphaned`. */
  joinAs(member: KafkaMember): void {
    this.member = member;
  }

  holdings(): { owned: number[]; busy: number[] } {
    const all = [...this.partitions.values()];
    return {
      owned: all.filter(({ ownership }) => ownership !== 'foreign').map(({ number }) => number),
      busy: all.filter(({ work }) => work !== null && !work.disowned).map(({ number }) => number),
    };
  }

  fetched(number: number, messages: FetchedMessage[], endOfLog: bigint): void {
    if (this.closing !== null) return;
    const partition = this.partition(number);
    partition.accept(messages, endOfLog);
    if (partition.isFull) this.pause(partition, true);
    this.pump();
  }

  assigned(numbers: number[], continuous: boolean): void {
    this.assignment += 1;
    for (const partition of this.partitions.values()) {
      if (numbers.includes(partition.number) || partition.ownership === 'foreign') continue;
      this.pause(partition, false);
      partition.lose();
    }
    const fresh = numbers
      .map((number) => this.partition(number))
      .filter(({ ownership }) => !continuous || ownership !== 'owned');
    for (const partition of fresh) partition.claim();
    if (fresh.length > 0) void this.settle(fresh, this.assignment);
  }

  orphaned(): void {
    this.assignment += 1;
    for (const partition of this.partitions.values()) partition.orphan();
  }

  close(): Promise<void> {
    return (this.closing ??= this.leave());
  }

  private async leave(): Promise<void> {
    for (const partition of this.partitions.values()) {
      if (partition.retry !== null) clearTimeout(partition.retry);
    }
    for (const work of this.working) work.abort();
    const { topic, group, closeGraceMs } = this.options;
    const until = performance.now() + closeGraceMs;
    while (this.working.size > 0 && performance.now() < until) await sleep(5);
    if (this.working.size > 0) {
      const handlers = this.working.size;
      logger.warn({ topic, group, handlers }, 'Handlers did not end in time; others get their messages');
      for (const work of this.working) work.disown();
    }
    if (this.later !== null) clearTimeout(this.later);
    await this.flush();
    this.released = true;
    await this.member.close();
  }

  private partition(number: number): KafkaPartition {
    let partition = this.partitions.get(number);
    if (partition === undefined) {
      partition = new KafkaPartition(number);
      this.partitions.set(number, partition);
    }
    return partition;
  }

  private pause(partition: KafkaPartition, paused: boolean): void {
    if (partition.paused === paused) return;
    partition.paused = paused;
    this.member.pause(partition);
  }

  /** Asks where the group stands until there is an answer or another assignment. */
  private async settle(fresh: KafkaPartition[], assignment: number): Promise<void> {
    const { topic, group } = this.options;
    while (this.assignment === assignment && !this.released) {
      try {
        const offsets = await this.options.committed();
        const stands = new Map(offsets.map((entry) => [entry.partition, entry]));
        if (this.options.ephemeral !== true) {
          const nowhere = fresh.filter(({ number }) => (stands.get(number)?.offset ?? null) === null);
          await this.commitOldest(nowhere, assignment);
        }
        if (this.assignment !== assignment) return;
        for (const partition of fresh) {
          const committed = stands.get(partition.number);
          partition.settle(committed?.offset ?? null, readNote(committed?.note));
        }
        this.pump();
        return;
      } catch (error) {
        logger.debug({ topic, group, err: error }, 'Where the group stands is not known yet');
        await sleep(AGAIN_MS);
      }
    }
  }

  /**
   * Says where a group begins that stands nowhere, new or forgotten by Kafka, which is after a week without members. Whoever
   * scales by what it has not handled otherwise counts all that was ever sent, until each partition has had a message again.
   * Nothing of this assignment is handled before; a later one may have gone on, and must not be taken back.
   */
  private async commitOldest(partitions: KafkaPartition[], assignment: number): Promise<void> {
    if (partitions.length === 0) return;
    const oldest = await this.options.oldest();
    if (this.assignment !== assignment) return;
    await Promise.all(
      partitions.map(async ({ number }) => {
        const offset = oldest.get(number);
        if (offset !== undefined) await this.member.commit(number, offset);
      }),
    );
  }

  /** The oldest messages first, so that who came later to another partition overtakes nobody. */
  private pump(): void {
    if (this.closing !== null) return;
    const free = this.options.concurrency - this.working.size;
    if (free <= 0) return;
    const age = ({ head }: KafkaPartition): number => head?.time ?? Infinity;
    const ready = [...this.partitions.values()].filter(({ canStart }) => canStart).sort((a, b) => age(a) - age(b));
    // Handlers run in the context of who subscribed, not in that of the last message.
    for (const partition of ready.slice(0, free)) this.scope.runInAsyncScope(() => void this.run(partition));
  }

  /** Never rejects. */
  private async run(partition: KafkaPartition): Promise<void> {
    if (!partition.head) return;
    const work = new Work(partition.head);
    partition.work = work;
    this.working.add(work);
    const outcome = await this.deliver(work, partition.failures + 1);
    if (!work.disowned) {
      if ('handled' in outcome) await this.commit(partition, work);
      // A handler that stopped because its member leaves has not failed; another member is given the message anew.
      else if (!work.signal.aborted) await this.fail(partition, work, outcome.error);
    }
    partition.work = null;
    this.working.delete(work);
    if (partition.paused && partition.isLow) this.pause(partition, false);
    this.pump();
  }

  private async deliver(work: Work, delivery: number): Promise<{ handled: true } | { error: unknown }> {
    try {
      const message = this.options.decode(work.message);
      await this.options.handle(message, { delivery, signal: work.signal });
      return { handled: true };
    } catch (error) {
      return { error };
    }
  }

  private async fail(partition: KafkaPartition, work: Work, error: unknown): Promise<void> {
    const { topic, group, policy } = this.options;
    const delivery = partition.failures + 1;
    const { key } = work.message;
    const about = { topic, group, key, delivery, err: error };
    const decision = afterFailure(error, delivery, policy);
    if ('giveUp' in decision) {
      logger.error(about, 'A message became a dead letter');
      const stored = await this.retry(
        work.message,
        () => !work.disowned,
        () => this.options.giveUp(work.message, decision.giveUp, delivery),
      );
      if (stored) await this.commit(partition, work);
      return;
    }
    const retryInMs = Math.round(decision.retryInMs);
    logger.warn({ ...about, retryInMs }, 'A message failed and will be delivered again');
    partition.failures = delivery;
    // The note stands at the very offset that was to be committed.
    this.uncommitted.delete(partition);
    const timer = setTimeout(() => {
      // Awaited before the next delivery: coming late it would take the group back.
      void noted.then((waits) => {
        if (!waits) return;
        partition.retry = null;
        this.pump();
      });
    }, decision.retryInMs);
    partition.retry = timer;
    const noted = this.retry(
      work.message,
      () => partition.retry === timer && !this.released,
      () => this.member.commit(partition.number, work.message.offset, writeNote(delivery)),
    );
  }

  private async commit(partition: KafkaPartition, work: Work): Promise<void> {
    const { commitWithinMs = 0 } = this.options;
    if (commitWithinMs > 0 && !work.disowned) {
      partition.advance();
      this.uncommitted.add(partition);
      this.later ??= setTimeout(() => void this.flush(), commitWithinMs);
      return;
    }
    const next = work.message.offset + 1n;
    const committed = await this.retry(
      work.message,
      () => !work.disowned,
      async () => {
        if (partition.ownership !== 'owned') throw new Error('not ours at the moment');
        await this.member.commit(partition.number, next);
      },
    );
    if (committed) partition.advance();
  }

  /** Commits what was handled, after what is being committed. */
  private flush(): Promise<void> {
    return (this.committing = this.committing.then(() => this.commitHandled()));
  }

  /** Never rejects. What could not be committed waits for the next time; what is another member's now is its to commit. */
  private async commitHandled(): Promise<void> {
    this.later = null;
    const all = [...this.uncommitted];
    this.uncommitted.clear();
    await Promise.all(
      all.map(async (partition) => {
        const { ownership, handledTo } = partition;
        if (ownership === 'foreign' || handledTo === null) return;
        try {
          if (ownership !== 'owned') throw new Error('not ours at the moment');
          await this.member.commit(partition.number, handledTo);
        } catch (error) {
          const { topic, group } = this.options;
          logger.debug({ topic, group, err: error }, 'What was handled is committed later');
          this.uncommitted.add(partition);
        }
      }),
    );
    if (this.uncommitted.size > 0 && this.closing === null) {
      this.later ??= setTimeout(() => void this.flush(), AGAIN_MS);
    }
  }

  /** Repeats until it worked (true) or the message is not ours any more (false). */
  private async retry({ key }: FetchedMessage, ours: () => boolean, attempt: () => Promise<void>): Promise<boolean> {
    const { topic, group } = this.options;
    while (ours()) {
      try {
        await attempt();
        return ours();
      } catch (error) {
        logger.debug({ topic, group, key, err: error }, 'Kafka will be asked again');
        await sleep(AGAIN_MS);
      }
    }
    return false;
  }
}

function writeNote(failures: number): string {
  return JSON.stringify({ failures });
}

function readNote(note: string | undefined): number {
  try {
    const { failures }: { failures?: unknown } = JSON.parse(note || '{}');
    return typeof failures === 'number' && failures > 0 ? Math.floor(failures) : 0;
  } catch {
    return 0;
  }
}
