/** One message as it came from Kafka. */
export interface FetchedMessage {
  offset: bigint;
  key: string;
  /** Null when the message has no value: not one of ours. */
  text: string | null;
  traceparent: string | null;
  /** When it was published, in milliseconds since 1970. */
  time: number;
}

/** A handler at work on one message. It may outlive its member's claim to the partition; then its outcome means nothing. */
export class Work {
  private readonly controller = new AbortController();
  /** Tells whether the message is somebody else's now. */
  disowned = false;

  constructor(readonly message: FetchedMessage) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Asks the handler to end; if it ends well all the same, its message is committed. */
  abort(): void {
    this.controller.abort();
  }

  disown(): void {
    this.disowned = true;
    this.abort();
  }
}

/**
 * - `foreign`: another member's, as far as we know.
 * - `orphaned`: ours until the connection was lost; work goes on, since it will most likely be ours again.
 * - `settling`: ours since a moment ago; where the group stands in it is being asked.
 * - `owned`: ours, and worked on.
 */
type Ownership = 'foreign' | 'orphaned' | 'settling' | 'owned';

/** Messages fetched ahead of a partition, beyond which fetching pauses. */
const ENOUGH_MESSAGES = 100;
const ENOUGH_BYTES = 1024 * 1024;

/** State of one partition in one member. Its messages are handled one after the other. */
export class KafkaPartition {
  ownership: Ownership = 'foreign';
  work: Work | null = null;
  /** Number of times that the message at the head was given out and failed. */
  failures = 0;
  retry: NodeJS.Timeout | null = null;
  paused = false;
  private queue: FetchedMessage[] = [];
  private bytes = 0;
  /** Offset of the first message that is not handled; null when nothing is known of it. */
  private position: bigint | null = null;

  constructor(readonly number: number) {}

  get head(): FetchedMessage | undefined {
    return this.queue[0];
  }

  get isFull(): boolean {
    return this.queue.length >= ENOUGH_MESSAGES || this.bytes >= ENOUGH_BYTES;
  }

  get isLow(): boolean {
    return this.queue.length < ENOUGH_MESSAGES / 2 && this.bytes < ENOUGH_BYTES / 2;
  }

  /** Everything before it is handled; null when nothing is known of it. */
  get handledTo(): bigint | null {
    return this.position;
  }

  get canStart(): boolean {
    return this.ownership === 'owned' && this.work === null && this.retry === null && this.queue.length > 0;
  }

  /** Adds fetched messages; those it has, or had, are left out: after a rebalance Kafka gives some again. */
  accept(messages: FetchedMessage[], endOfLog: bigint): void {
    if (this.ownership === 'foreign' || this.ownership === 'orphaned') return;
    // The topic was taken away and made anew.
    if (this.position !== null && endOfLog < this.position) {
      this.work?.disown();
      this.restart(null);
    }
    for (const message of messages) {
      if (message.offset < this.next) continue;
      this.queue.push(message);
      this.bytes += message.text?.length ?? 0;
    }
  }

  /** The head was handled, or given up. */
  advance(): void {
    const message = this.queue.shift();
    if (message === undefined) return;
    this.bytes -= message.text?.length ?? 0;
    this.position = message.offset + 1n;
    this.failures = 0;
  }

  /** Connection lost: nothing is fetched nor committed until it is back. */
  orphan(): void {
    this.stopRetry();
    if (this.ownership !== 'foreign') this.ownership = 'orphaned';
    this.paused = false;
  }

  /** Another member's now. */
  lose(): void {
    this.stopRetry();
    this.work?.disown();
    this.ownership = 'foreign';
    this.restart(null);
  }

  /** Ours, but where the group stands is not known yet. */
  claim(): void {
    this.ownership = 'settling';
  }

  /**
   * The group's committed offset (null: none) and the failed deliveries noted with it. A handler that is at that very
   * message goes on; one that is at another one lost it.
   */
  settle(committed: bigint | null, failures: number): void {
    // Without an offset nothing was ever committed, so what we have is still where the group stands.
    if (committed !== null) {
      if (this.work !== null && this.work.message.offset !== committed) this.work.disown();
      const counted = this.head?.offset === committed ? this.failures : 0;
      if (committed !== this.position) this.restart(committed);
      this.failures = Math.max(failures, counted);
    }
    this.ownership = 'owned';
  }

  /** Drops what lies before `position`, or everything. */
  private restart(position: bigint | null): void {
    this.queue = position === null ? [] : this.queue.filter(({ offset }) => offset >= position);
    this.bytes = this.queue.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
    this.position = position;
    this.failures = 0;
  }

  private get next(): bigint {
    const last = this.queue.at(-1);
    return last === undefined ? (this.position ?? 0n) : last.offset + 1n;
  }

  private stopRetry(): void {
    if (this.retry !== null) clearTimeout(this.retry);
    this.retry = null;
  }
}
