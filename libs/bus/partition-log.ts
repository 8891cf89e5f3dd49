import type { AditError } from '@adit/contracts';

export interface LoggedMessage {
  key: string;
  /** The envelope's JSON: every delivery parses its own copy, so nothing is shared by reference. */
  text: string;
}

/** A message that was accepted, and when: milliseconds of the process's clock. */
export interface AcceptedMessage extends LoggedMessage {
  time: number;
}

interface WaitingMessage {
  message: LoggedMessage;
  accepted(): void;
  refused(error: AditError): void;
}

/** The messages of one partition that some group has not handled yet, numbered by offset, and those waiting for room. */
export class PartitionLog {
  private readonly messages: AcceptedMessage[] = [];
  private readonly waiting: WaitingMessage[] = [];
  /** Offset of the oldest message that is kept. */
  private start = 0;

  constructor(private readonly capacity: number) {}

  get oldest(): number {
    return this.start;
  }

  /** Offset that the next message will have. */
  get end(): number {
    return this.start + this.messages.length;
  }

  get isFull(): boolean {
    return this.messages.length >= this.capacity;
  }

  at(offset: number): AcceptedMessage | undefined {
    return this.messages[offset - this.start];
  }

  append(message: LoggedMessage): void {
    this.messages.push({ ...message, time: performance.now() });
  }

  /** Resolves when there was room; those who wait keep their order. */
  appendWhenSpace(message: LoggedMessage): Promise<void> | undefined {
    if (!this.isFull && this.waiting.length === 0) {
      this.append(message);
      return undefined;
    }
    return new Promise((accepted, refused) => this.waiting.push({ message, accepted, refused }));
  }

  /** Forgets everything before `offset` and lets in who waited for the room. Returns how many were let in. */
  dropBefore(offset: number): number {
    const count = Math.min(Math.max(0, offset - this.start), this.messages.length);
    this.messages.splice(0, count);
    this.start += count;
    return this.admit();
  }

  /** Lets in who waits as far as there is room. */
  admit(): number {
    let admitted = 0;
    while (!this.isFull) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.append(next.message);
      next.accepted();
      admitted += 1;
    }
    return admitted;
  }

  get hasWaiting(): boolean {
    return this.waiting.length > 0;
  }

  refuseWaiting(error: AditError): void {
    for (const { refused } of this.waiting.splice(0)) refused(error);
  }
}

/** Partition of a key, the same in every process: FNV-1a over UTF-8 with murmur3's finaliser. 0..partitions-1. */
export function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
}
