import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANNOUNCED, EXTENSION, extensionOf, FLAGS, HANDSHAKE, MAGIC, readHandshake, VERSION } from '../handshake.js';
import { writeAbilities, writeHandshake, type Handshake } from '../handshake.js';
import { Keys } from '../key-material.js';
import { advanced, CONTROL, controlPacket, distance, HEADER_BYTES, readPacket } from '../packets.js';

const SOCKET_ID = 77;
const COOKIE = 0x0c0_ffee;
/** Word before the time of a whole message under the even key. */
const ENCRYPTED = 0xc800_0000;

/** Changes the answer to an induction or a conclusion; null for no answer. */
export type Answer = (handshake: Handshake, asked: Handshake) => Handshake | null;

/** A server of SRT on loopback that answers one caller, and then sends whatever a test tells it to. */
export class SrtPeer {
  /** Socket of the caller. */
  callerId = 0;
  /** Sequence number of the next packet. */
  next = 0;
  acknowledged = 0;
  /** Tells whether the caller has our answer to its conclusion. */
  isAgreed = false;
  /** Datagrams that came, by type of control packet. */
  readonly seen = new Map<number, { count: number; largest: number; last: Buffer }>();
  private caller: RemoteInfo | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly answer: Answer,
    private readonly keys: Keys | null,
  ) {
    socket.on('message', (datagram, from) => this.take(datagram, from));
  }

  /** @param passphrase with which the data are encrypted, if any */
  static async start(answer: Answer = (handshake) => handshake, passphrase?: string): Promise<SrtPeer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new SrtPeer(socket, answer, passphrase === undefined ? null : new Keys(passphrase));
  }

  get url(): string {
    return `srt://127.0.0.1:${this.socket.address().port}`;
  }

  get from(): RemoteInfo {
    if (this.caller === null) throw new Error('Nobody has called.');
    return this.caller;
  }

  close(): void {
    this.socket.close();
  }

  send(datagram: Buffer): void {
    this.socket.send(datagram, this.from.port, this.from.address);
  }

  control(type: number, body: Buffer, more: { subtype?: number; info?: number } = {}): void {
    this.send(controlPacket({ type, body, timestamp: 0, to: this.callerId, ...more }));
  }

  /** Sends the next packet of the stream. */
  data(payload: Buffer): void {
    const { keys, next } = this;
    // Decrypting is encrypting in this mode.
    const sent = keys?.decrypt(next, 1, payload) ?? payload;
    this.send(dataPacket(next, sent, this.callerId, keys === null ? undefined : ENCRYPTED));
    this.next = advanced(this.next, 1);
  }

  /** Sends packets without losing any to a full buffer of the system. */
  async stream(count: number, payload: (i: number) => Buffer): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.data(payload(i));
      if (i % 50 === 49 || i === count - 1) await this.untilAcknowledged();
    }
  }

  async untilAgreed(): Promise<void> {
    for (const end = Date.now() + 5000; !this.isAgreed; await sleep(5)) {
      if (Date.now() > end) throw new Error('Nobody has agreed on a connection.');
    }
    // The answer is on its way.
    await sleep(20);
  }

  private async untilAcknowledged(): Promise<void> {
    for (const end = Date.now() + 5000; distance(this.acknowledged, this.next) > 0; await sleep(2)) {
      if (Date.now() > end) throw new Error('What was sent is not acknowledged.');
    }
  }

  private take(datagram: Buffer, from: RemoteInfo): void {
    const type = datagram.readUInt16BE(0) & 0x7fff;
    const { count = 0, largest = 0 } = this.seen.get(type) ?? {};
    this.seen.set(type, { count: count + 1, largest: Math.max(largest, datagram.length), last: datagram });
    if (type === CONTROL.ack && datagram.length > HEADER_BYTES) this.acknowledged = datagram.readUInt32BE(HEADER_BYTES);
    const packet = readPacket(datagram, 0);
    if (packet?.kind !== 'control' || packet.type !== CONTROL.handshake) return;
    const asked = readHandshake(packet.body);
    if (asked === null) return;
    this.caller = from;
    this.callerId = asked.socketId;
    [this.next, this.acknowledged] = [asked.sequence, asked.sequence];
    const given = this.answer(asked.type === HANDSHAKE.induction ? induced(asked) : concluded(asked), asked);
    if (given === null) return;
    const key = extensionOf(asked, EXTENSION.keyRequest);
    if (key !== null) this.keys?.take(key);
    this.control(CONTROL.handshake, writeHandshake(given));
    this.isAgreed ||= given.type === HANDSHAKE.conclusion;
  }
}

function induced(asked: Handshake): Handshake {
  return { ...asked, version: 5, encryption: 0, extensionField: MAGIC, cookie: COOKIE };
}

function concluded(asked: Handshake): Handshake {
  const said = { version: VERSION, flags: FLAGS, receiverDelay: 0, senderDelay: 0 };
  const extensions = [{ type: EXTENSION.response as number, body: writeAbilities(said) }];
  const key = extensionOf(asked, EXTENSION.keyRequest);
  if (key !== null) extensions.push({ type: EXTENSION.keyResponse, body: key });
  return { ...asked, socketId: SOCKET_ID, extensionField: ANNOUNCED.request, extensions };
}

/** @param first bits before the number of the message: 0xc000_0000 says that it is whole */
export function dataPacket(sequence: number, payload: Buffer, to: number, first = 0xc000_0000): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(sequence, 0);
  header.writeUInt32BE(first, 4);
  header.writeUInt32BE(to, 12);
  return Buffer.concat([header, payload]);
}
