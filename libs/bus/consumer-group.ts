import { AsyncResource } from 'node:async_hooks';
import type { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { afterFailure } from './retry-delay.js';
import type { DeliveryPolicy } from './retry-delay.js';
import type { AcceptedMessage, LoggedMessage, PartitionLog } from './partition-log.js';
import type { SubscriptionOptions } from './port.js';
import { decodeMessage } from './wire.js';

const logger = createLogger('bus');

interface GroupOptions {
  topic: string;
  group: string;
  policy: DeliveryPolicy;
  /** Time that a closing member waits for its handlers before their messages are given to others. */
  closeGraceMs: number;
  giveUp(message: LoggedMessage, error: AditError, deliveries: number): void;
  /** Called when a message was handled, so that the log can forget it. */
  committed(partition: number): void;
}

/** Position of the group in one partition. Its messages are handled one after the other, whoever owns it. */
interface Cursor {
  readonly log: PartitionLog;
  /** Offset of the first message that is not handled. */
  position: number;
  /** Number of times that the message at `position` was given out and failed. */
  failures: number;
  owner: Member | null;
  busy: boolean;
  retry: NodeJS.Timeout | null;
}

interface Member {
  readonly options: SubscriptionOptions;
  readonly scope: AsyncResource;
  readonly abort: AbortController;
  /** Called when the time to close is over: their messages go to others although the handlers still run. */
  readonly releases: Set<() => void>;
  running: number;
  /** Resolves the promise of the leaving member. */
  idle: (() => void) | null;
}

type Outcome = { handled: true } | { error: unknown } | { released: true };

/** One consumer group on one topic: its offsets, its members and who of them owns which partition. */
export class ConsumerGroup {
  private readonly cursors: Cursor[];
  private readonly members: Member[] = [];
  private pumping = false;

  constructor(
    private readonly options: GroupOptions,
    logs: PartitionLog[],
  ) {
    this.cursors = logs.map((log) => ({
      log,
      position: log.oldest,
      failures: 0,
      owner: null,
      busy: false,
      retry: null,
    }));
  }

  get name(): string {
    return this.options.group;
  }

  get hasMembers(): boolean {
    return this.members.length > 0;
  }

  get lag(): number {
    return this.cursors.reduce((sum, cursor) => sum + cursor.log.end - cursor.position, 0);
  }

  /** Offset of the first message of the partition that this group still needs. */
  needs(partition: number): number {
    return this.cursors[partition]?.position ?? 0;
  }

  /** The partition's oldest messages were dropped: go on behind them. */
  skipTo(partition: number, offset: number): void {
    const cursor = this.cursors[partition];
    if (cursor === undefined || cursor.position >= offset) return;
    cursor.position = offset;
    cursor.failures = 0;
    if (cursor.retry !== null) clearTimeout(cursor.retry);
    cursor.retry = null;
  }

  /** Adds a member; the returned function makes it leave. */
  join(options: SubscriptionOptions): () => Promise<void> {
    const member: Member = {
      options,
      // Handlers run in the context of who subscribed, not of who happened to publish.
      scope: new AsyncResource('BusSubscription'),
      abort: new AbortController(),
      releases: new Set(),
      running: 0,
      idle: null,
    };
    this.members.push(member);
    this.rebalance();
    let left: Promise<void> | null = null;
    return () => (left ??= this.leave(member));
  }

  /** Gives out work soon, once for any number of calls. */
  wake(): void {
    if (this.pumping) return;
    this.pumping = true;
    setImmediate(() => {
      this.pumping = false;
      this.pump();
    });
  }

  stop(): void {
    for (const cursor of this.cursors) if (cursor.retry !== null) clearTimeout(cursor.retry);
  }

  private rebalance(): void {
    this.cursors.forEach((cursor, partition) => {
      cursor.owner = this.members[partition % this.members.length] ?? null;
    });
    this.wake();
  }

  /** The oldest messages first, so that who came later to another partition overtakes nobody. */
  private pump(): void {
    const ready: { cursor: Cursor; partition: number; message: AcceptedMessage }[] = [];
    for (const [partition, cursor] of this.cursors.entries()) {
      const message = cursor.busy || cursor.retry !== null ? undefined : cursor.log.at(cursor.position);
      if (message !== undefined) ready.push({ cursor, partition, message });
    }
    ready.sort((a, b) => a.message.time - b.message.time);
    for (const { cursor, partition, message } of ready) {
      const { owner } = cursor;
      if (owner === null || owner.running >= owner.options.concurrency) continue;
      this.start(cursor, partition, owner, message);
    }
  }

  private start(cursor: Cursor, partition: number, member: Member, message: LoggedMessage): void {
    cursor.busy = true;
    member.running += 1;
    const offset = cursor.position;
    const delivery = cursor.failures + 1;
    void member.scope.runInAsyncScope(async () => {
      const outcome = await this.handle(member, message, delivery);
      // The message may have been dropped meanwhile; then its outcome means nothing to the cursor.
      if (cursor.position === offset) {
        if ('handled' in outcome) this.commit(cursor, partition);
        // A handler that stopped because its member leaves has not failed; another member is given the message anew.
        else if ('error' in outcome && !member.abort.signal.aborted) {
          this.fail(cursor, partition, message, outcome.error, delivery);
        }
      }
      cursor.busy = false;
      member.running -= 1;
      if (member.running === 0) member.idle?.();
      this.wake();
    });
  }

  /** Never rejects. */
  private async handle(member: Member, message: LoggedMessage, delivery: number): Promise<Outcome> {
    const { topic } = this.options;
    const run = async (): Promise<Outcome> => {
      try {
        const envelope = decodeMessage(topic, message.text);
        const context = { delivery, signal: member.abort.signal };
        await member.options.handle({ topic, key: message.key, envelope }, context);
        return { handled: true };
      } catch (error) {
        return { error };
      }
    };
    return new Promise((resolve) => {
      const release = () => resolve({ released: true });
      member.releases.add(release);
      void run().then((outcome) => {
        member.releases.delete(release);
        resolve(outcome);
      });
    });
  }

  private fail(cursor: Cursor, partition: number, message: LoggedMessage, error: unknown, delivery: number): void {
    const { topic, group, policy } = this.options;
    const decision = afterFailure(error, delivery, policy);
    const about = { topic, group, key: message.key, delivery, err: error };
    if ('giveUp' in decision) {
      logger.error(about, 'A message became a dead letter');
      this.options.giveUp(message, decision.giveUp, delivery);
      this.commit(cursor, partition);
      return;
    }
    logger.warn(
      { ...about, retryInMs: Math.round(decision.retryInMs) },
      'A message failed and will be delivered again',
    );
    cursor.failures = delivery;
    cursor.retry = setTimeout(() => {
      cursor.retry = null;
      this.wake();
    }, decision.retryInMs);
  }

  private commit(cursor: Cursor, partition: number): void {
    cursor.position += 1;
    cursor.failures = 0;
    this.options.committed(partition);
  }

  private async leave(member: Member): Promise<void> {
    this.members.splice(this.members.indexOf(member), 1);
    this.rebalance();
    member.abort.abort();
    if (member.running === 0) return;
    const { topic, group, closeGraceMs } = this.options;
    const grace = setTimeout(() => {
      logger.warn(
        { topic, group, handlers: member.running },
        'Handlers did not end in time; others get their messages',
      );
      for (const release of member.releases) release();
    }, closeGraceMs);
    await new Promise<void>((resolve) => {
      member.idle = resolve;
    });
    clearTimeout(grace);
  }
}
