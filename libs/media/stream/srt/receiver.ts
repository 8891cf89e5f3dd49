import { Readable } from 'node:stream';
import { silent, refused, unavailable } from '../live-faults.js';
import { KeyFault, type Keys } from './key-material.js';
import type { Link } from './link.js';
import { CONTROL, controlPacket, distance, lossList, readPacket, wordsOf } from './packets.js';
import type { ControlFields, ControlPacket, DataPacket, SequenceRange } from './packets.js';
import { ReceiveWindow, WINDOW_PACKETS } from './receive-window.js';

/** How often what came is acknowledged; also the protocol's own period. */
const TICK_MS = 10;
/** A tick that is later than this does not give packets up: they may have come while the process was busy. */
const LATE_TICK_MS = 100;
const KEEP_ALIVE_MS = 1000;
const LEAST_NAK_MS = 20;
/** Ranges of one NAK: they fill a datagram. */
const MAX_NAK_RANGES = 180;
/** Bytes that wait for who reads the body; beyond that packets are left out. */
const MAX_BACKLOG_BYTES = 16 << 20;
/** Deriving a key takes a millisecond or two of the processor. */
const LEAST_REKEY_MS = 100;
/** Acknowledgements whose answers are waited for. */
const MAX_PENDING_ACKS = 128;
/** Messages of encryption, by subtype. */
const KEY_REQUEST = 3;
const KEY_RESPONSE = 4;

export interface Agreement {
  shown: string;
  link: Link;
  socketId: number;
  peerId: number;
  /** Sequence number of the first data packet. */
  sequence: number;
  latencyMs: number;
  keys: Keys | null;
  /** Seconds without data after which the stream counts as broken. */
  timeoutSeconds: number;
  /** Answer to a handshake that comes again; null where we called. */
  handshakeReply: Buffer | null;
}

/** The receiving end of a connection, from the handshake on. */
export class SrtReceiver {
  /** Payloads in order. It ends where the stream does, for whatever reason. */
  readonly output = new Readable({ highWaterMark: MAX_BACKLOG_BYTES, read: () => undefined });
  /** Why the stream broke; null while it lasts, and when it was closed here. */
  failure: unknown = null;
  private readonly window: ReceiveWindow;
  private readonly timer: NodeJS.Timeout;
  private readonly startedAt = performance.now();
  private closing: Promise<void> | null = null;
  private leftOut = 0;
  private undecrypted = 0;
  private lastTick = this.startedAt;
  private lastData = this.startedAt;
  private lastSent = this.startedAt;
  private nextNak = 0;
  private lastKeys = 0;
  private isAckDue = false;
  private ackNumber = 0;
  private readonly ackTimes = new Float64Array(MAX_PENDING_ACKS);
  /** Microseconds: round trip and its variance, as the protocol begins. */
  private roundTrip = 100_000;
  private variance = 50_000;
  /** Packets that the sender may give up until the next tick. */
  private dropBudget = WINDOW_PACKETS;

  constructor(private readonly agreed: Agreement) {
    const { link, sequence, latencyMs } = agreed;
    this.window = new ReceiveWindow(sequence, latencyMs, (payload) => this.pass(payload));
    link.onDatagram = (datagram) => this.take(datagram);
    link.onError = (error) => this.fail(unavailable(agreed.shown, `the connection broke (${error.message})`, error));
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  /** Packets that were sent and are missing in the output. */
  get lost(): number {
    return this.window.lost + this.leftOut;
  }

  /** Tells the other end and closes everything. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private finish(): Promise<void> {
    clearInterval(this.timer);
    this.output.push(null);
    return this.agreed.link.close(this.control({ type: CONTROL.shutdown, body: Buffer.alloc(4) }));
  }

  /** Ends the stream for the reader, who still gets what has arrived. */
  private fail(error: unknown): void {
    if (this.closing !== null) return;
    this.window.flush();
    this.failure = error;
    void this.close();
  }

  private take(datagram: Buffer): void {
    const { socketId, handshakeReply, link } = this.agreed;
    const packet = readPacket(datagram, socketId);
    if (packet?.kind === 'data') return this.takeData(packet);
    if (packet !== null) return this.takeControl(packet);
    // Before it has our answer, the other end does not know our socket.
    const isUnanswered = readPacket(datagram, 0)?.kind === 'control';
    if (isUnanswered && handshakeReply !== null) link.send(handshakeReply);
  }

  private takeData({ sequence, isWhole, key, payload }: DataPacket): void {
    const { keys, shown } = this.agreed;
    if (!isWhole) return this.fail(refused(shown, 'it is sent in file mode, and only live mode is read'));
    this.isAckDue = true;
    if (!this.window.wants(sequence)) return;
    const plain = keys === null ? (key === 0 ? payload : null) : keys.decrypt(sequence, key, payload);
    if (plain === null) return void this.undecrypted++;
    this.lastData = performance.now();
    const missing = this.window.add(sequence, plain, this.lastData);
    if (missing !== null) this.report([missing]);
  }

  private takeControl({ type, subtype, info, body }: ControlPacket): void {
    if (type === CONTROL.ackAck) return this.measure(info);
    if (type === CONTROL.shutdown) return this.fail(unavailable(this.agreed.shown, 'the sender closed the connection'));
    if (type === CONTROL.dropRequest && body.length >= 8)
      return this.drop([body.readUInt32BE(0), body.readUInt32BE(4)]);
    if (type === CONTROL.extension && subtype === KEY_REQUEST) this.changeKeys(body);
  }

  private drop([first, last]: SequenceRange): void {
    const count = distance(first, last) + 1;
    if (count <= 0 || count > this.dropBudget) return;
    this.dropBudget -= count;
    this.window.drop([first & 0x7fff_ffff, last & 0x7fff_ffff], performance.now());
  }

  private changeKeys(message: Buffer): void {
    const { keys } = this.agreed;
    const now = performance.now();
    if (keys === null) return;
    if (!keys.knows(message)) {
      if (now - this.lastKeys < LEAST_REKEY_MS) return;
      this.lastKeys = now;
    }
    let answer = message;
    try {
      keys.take(message);
    } catch (error) {
      if (!(error instanceof KeyFault)) throw error;
      answer = wordsOf([error.state]);
    }
    this.send({ type: CONTROL.extension, subtype: KEY_RESPONSE, body: answer });
  }

  private measure(ackNumber: number): void {
    const sentAt = this.ackTimes[ackNumber % MAX_PENDING_ACKS] ?? 0;
    const isPending = ackNumber > this.ackNumber - MAX_PENDING_ACKS && ackNumber <= this.ackNumber;
    if (!isPending || sentAt === 0) return;
    this.ackTimes[ackNumber % MAX_PENDING_ACKS] = 0;
    const sample = (performance.now() - sentAt) * 1000;
    this.variance = (this.variance * 3 + Math.abs(this.roundTrip - sample)) / 4;
    this.roundTrip = (this.roundTrip * 7 + sample) / 8;
  }

  private pass(payload: Buffer): void {
    if (this.output.readableLength > MAX_BACKLOG_BYTES) this.leftOut++;
    else if (payload.length > 0) this.output.push(payload);
  }

  private tick(): void {
    const now = performance.now();
    const { shown, timeoutSeconds } = this.agreed;
    if (now - this.lastTick < LATE_TICK_MS && this.window.expire(now)) this.isAckDue = true;
    this.lastTick = now;
    this.dropBudget = WINDOW_PACKETS;
    if (this.isAckDue) this.acknowledge(now);
    if (now >= this.nextNak) {
      this.report(this.window.missing(MAX_NAK_RANGES));
      this.nextNak = now + Math.max((this.roundTrip + 4 * this.variance) / 2000, LEAST_NAK_MS);
    }
    if (now - this.lastSent >= KEEP_ALIVE_MS) this.send({ type: CONTROL.keepAlive, body: Buffer.alloc(4) });
    if (now - this.lastData < timeoutSeconds * 1000) return;
    const unreadable = `it sends nothing that can be decrypted for ${timeoutSeconds} s`;
    this.fail(this.undecrypted > 0 ? unavailable(shown, unreadable) : silent(shown, timeoutSeconds));
  }

  private acknowledge(now: number): void {
    this.isAckDue = false;
    this.ackNumber = (this.ackNumber + 1) >>> 0;
    this.ackTimes[this.ackNumber % MAX_PENDING_ACKS] = now;
    const { acknowledged, room } = this.window;
    // The rates at the end are for statistics of the sender.
    const body = wordsOf([acknowledged, Math.round(this.roundTrip), Math.round(this.variance), room, 0, 0, 0]);
    this.send({ type: CONTROL.ack, info: this.ackNumber, body });
  }

  private report(ranges: SequenceRange[]): void {
    if (ranges.length > 0) this.send({ type: CONTROL.nak, body: lossList(ranges) });
  }

  private send(fields: Omit<ControlFields, 'timestamp' | 'to'>): void {
    this.lastSent = performance.now();
    this.agreed.link.send(this.control(fields));
  }

  private control(fields: Omit<ControlFields, 'timestamp' | 'to'>): Buffer {
    return controlPacket({ ...fields, timestamp: (performance.now() - this.startedAt) * 1000, to: this.agreed.peerId });
  }
}
