/** How long a packet that came too early waits for those before it. */
const WAIT_MS = 100;
const MAX_HELD = 256;

/** Brings RTP packets that came as datagrams into the order of their sequence numbers. Late ones are dropped. */
export class Reorder {
  private next: number | null = null;
  private readonly held = new Map<number, Buffer>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly onPacket: (packet: Buffer) => void) {}

  add(packet: Buffer): void {
    const sequence = packet.readUInt16BE(2);
    this.next ??= sequence;
    const ahead = (sequence - this.next) & 0xffff;
    if (ahead >= 0x8000) return;
    this.held.set(sequence, packet);
    this.drain();
    if (this.held.size > MAX_HELD) this.skip();
    if (this.held.size > 0) this.timer ??= setTimeout(() => this.skip(), WAIT_MS).unref();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.held.clear();
  }

  /** Gives up on what is missing before the first packet that is held. */
  private skip(): void {
    this.stopWaiting();
    if (this.next === null || this.held.size === 0) return;
    while (!this.held.has(this.next)) this.next = (this.next + 1) & 0xffff;
    this.drain();
    if (this.held.size > 0) this.timer ??= setTimeout(() => this.skip(), WAIT_MS).unref();
  }

  private drain(): void {
    for (let packet; this.next !== null && (packet = this.held.get(this.next)) !== undefined;) {
      this.held.delete(this.next);
      this.next = (this.next + 1) & 0xffff;
      this.onPacket(packet);
    }
    if (this.held.size === 0) this.stopWaiting();
  }

  private stopWaiting(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
