import { advanced, distance, type SequenceRange } from './packets.js';

/** Packets that may be held: 12 MB, or 2 s of 50 Mbit/s. */
export const WINDOW_PACKETS = 8192;

/**
 * Brings packets into the order of their sequence numbers. What comes too early waits for what is missing before it,
 * up to the latency; then that is given up.
 */
export class ReceiveWindow {
  /** Packets that never came. */
  lost = 0;
  /** By the sequence number modulo the size; an empty buffer stands for what the sender has dropped. */
  private readonly held: (Buffer | null)[] = Array.from({ length: WINDOW_PACKETS }, () => null);
  private readonly arrivals = new Float64Array(WINDOW_PACKETS);
  private count = 0;
  /** Sequence number behind the last one that came. */
  private end: number;

  constructor(
    /** Sequence number of the next packet to pass on: all before it came or were given up. */
    private next: number,
    private readonly latencyMs: number,
    private readonly onPacket: (payload: Buffer) => void,
  ) {
    this.end = next;
  }

  /** What the other end is told to have arrived: the next number that is expected. */
  get acknowledged(): number {
    return this.next;
  }

  get room(): number {
    return WINDOW_PACKETS - this.count;
  }

  /** Tells whether a packet of this number would be new. One that is too far ahead is not. */
  wants(sequence: number): boolean {
    const ahead = distance(this.next, sequence);
    return ahead >= 0 && ahead < WINDOW_PACKETS && this.held[sequence % WINDOW_PACKETS] === null;
  }

  /** Takes a packet that is wanted. Returns what is seen to be missing by it. @param now milliseconds */
  add(sequence: number, payload: Buffer, now: number): SequenceRange | null {
    this.hold(sequence, payload, now);
    const ahead = distance(this.end, sequence);
    const missing: SequenceRange | null = ahead > 0 ? [this.end, advanced(sequence, -1)] : null;
    if (ahead >= 0) this.end = advanced(sequence, 1);
    this.drain();
    return missing;
  }

  /** Gives up packets that the sender no longer has. */
  drop([first, last]: SequenceRange, now: number): void {
    const from = Math.max(distance(this.next, first), 0);
    const to = Math.min(distance(this.next, last), WINDOW_PACKETS - 1);
    for (let ahead = from; ahead <= to; ahead++) {
      const sequence = advanced(this.next, ahead);
      if (this.wants(sequence)) this.hold(sequence, EMPTY, now);
      if (distance(this.end, sequence) >= 0) this.end = advanced(sequence, 1);
    }
    this.drain();
  }

  /** Gives up what is missing before packets that have waited for the latency. Returns whether anything was. */
  expire(now: number): boolean {
    const before = this.lost;
    while (this.count > 0) {
      let first = this.next;
      while (this.held[first % WINDOW_PACKETS] === null) first = advanced(first, 1);
      if (now - (this.arrivals[first % WINDOW_PACKETS] ?? 0) < this.latencyMs) break;
      this.lost += distance(this.next, first);
      this.next = first;
      this.drain();
    }
    return this.lost > before;
  }

  /** Passes everything on that is held. */
  flush(): void {
    this.expire(Infinity);
  }

  /** Ranges of missing numbers, from the first one, at most as many. */
  missing(most: number): SequenceRange[] {
    const ranges: SequenceRange[] = [];
    if (this.count === 0) return ranges;
    const length = distance(this.next, this.end);
    for (let ahead = 0; ahead < length && ranges.length < most; ahead++) {
      if (this.isHeld(ahead)) continue;
      const first = ahead;
      while (ahead + 1 < length && !this.isHeld(ahead + 1)) ahead++;
      ranges.push([advanced(this.next, first), advanced(this.next, ahead)]);
    }
    return ranges;
  }

  private isHeld(ahead: number): boolean {
    return this.held[advanced(this.next, ahead) % WINDOW_PACKETS] !== null;
  }

  private hold(sequence: number, payload: Buffer, now: number): void {
    this.held[sequence % WINDOW_PACKETS] = payload;
    this.arrivals[sequence % WINDOW_PACKETS] = now;
    this.count++;
  }

  private drain(): void {
    for (;;) {
      const slot = this.next % WINDOW_PACKETS;
      const payload = this.held[slot];
      if (payload === null || payload === undefined) return;
      this.held[slot] = null;
      this.count--;
      this.next = advanced(this.next, 1);
      if (payload === EMPTY) this.lost++;
      else this.onPacket(payload);
    }
  }
}

const EMPTY = Buffer.alloc(0);
