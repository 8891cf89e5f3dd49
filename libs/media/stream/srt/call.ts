import { randomInt } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { connectDatagrams, permittedAddresses } from '@adit/net';
import type { CameraOptions } from '../connect-camera.js';
import { connectFault, refused, unavailable } from '../live-faults.js';
import { ANNOUNCED, DATAGRAMS, EXTENSION, extensionOf, FLAGS, HANDSHAKE, isRejection, MAGIC } from './handshake.js';
import { OLDEST_VERSION, readAbilities, readHandshake, STREAM_FLAG, VERSION } from './handshake.js';
import { writeAbilities, writeHandshake, writeStreamId, type Extension, type Handshake } from './handshake.js';
import { KEY_BYTES, KEY_STATE, KeyFault, Keys } from './key-material.js';
import { Link } from './link.js';
import { CONTROL, controlPacket, readPacket } from './packets.js';
import { WINDOW_PACKETS } from './receive-window.js';
import { SrtReceiver } from './receiver.js';
import { rejectionFault } from './rejections.js';
import type { SrtAddress } from './srt-address.js';

/** How often an unanswered handshake is sent again. */
const AGAIN_MS = 250;
/** Addresses of one name that are tried in turn. */
const MAX_TRIED = 4;
/** A key frame of 4K comes as hundreds of datagrams at once. */
const RECEIVE_BYTES = 4 << 20;

/**
 * Calls a server. The name is resolved here and once, its addresses are checked, and only datagrams of the one that is
 * used are read. Throws SOURCE_REFUSED or SOURCE_UNAVAILABLE.
 */
export async function callServer(
  address: SrtAddress & { host: string },
  shown: string,
  options: CameraOptions,
): Promise<SrtReceiver> {
  const { addresses, resolveHost, signal, timeoutSeconds } = options;
  const { host, port } = address;
  const timeoutMs = timeoutSeconds * 1000;
  let failure: unknown;
  try {
    const found = await permittedAddresses({ host, addresses, resolveHost, signal, timeoutMs });
    const tried = found.slice(0, MAX_TRIED);
    for (const ip of tried) {
      try {
        const socket = await connectDatagrams({ address: ip, port, addresses, receiveBytes: RECEIVE_BYTES });
        const link = new Link(socket, socket.remoteAddress(), true);
        return await new Call(address, shown, { ...options, link, waitMs: timeoutMs / tried.length }).greet();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AditError && error.code !== 'SOURCE_UNAVAILABLE') throw error;
        failure = error;
      }
    }
    throw failure;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof AditError ? error : connectFault(shown, error, timeoutSeconds);
  }
}

interface CallOptions {
  link: Link;
  waitMs: number;
  timeoutSeconds: number;
  signal: AbortSignal;
}

/** The handshake of who calls: an induction, which gives a cookie, and a conclusion, which agrees on everything. */
class Call {
  private readonly socketId = randomInt(1, 0x3fff_ffff);
  private readonly sequence = randomInt(0, 0x7fff_ffff);
  private readonly startedAt = performance.now();
  private readonly keys: Keys | null;
  private phase: 'induction' | 'conclusion' = 'induction';
  private body: Buffer;
  private settle: { resolve: (receiver: SrtReceiver) => void; reject: (error: unknown) => void } | null = null;

  constructor(
    private readonly address: SrtAddress,
    private readonly shown: string,
    private readonly options: CallOptions,
  ) {
    this.keys = address.passphrase === null ? null : new Keys(address.passphrase);
    const first = { version: 4, encryption: 0, extensionField: DATAGRAMS, type: HANDSHAKE.induction, cookie: 0 };
    this.body = writeHandshake({ ...first, ...this.own, extensions: [] });
  }

  /** Closes the link when it fails. */
  async greet(): Promise<SrtReceiver> {
    const { link, waitMs, timeoutSeconds, signal } = this.options;
    const late = unavailable(this.shown, `nobody answers within ${timeoutSeconds} s`);
    const timers = [setInterval(() => this.send(), AGAIN_MS), setTimeout(() => this.settle?.reject(late), waitMs)];
    const abort = (): void => this.settle?.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<SrtReceiver>((resolve, reject) => {
        this.settle = { resolve, reject };
        link.onDatagram = (datagram) => this.take(datagram);
        link.onError = reject;
        this.send();
      });
    } catch (error) {
      await link.close(null);
      throw error;
    } finally {
      timers.forEach((timer) => clearTimeout(timer));
      signal.removeEventListener('abort', abort);
    }
  }

  private get own() {
    return { sequence: this.sequence, window: WINDOW_PACKETS, socketId: this.socketId };
  }

  private send(): void {
    const timestamp = (performance.now() - this.startedAt) * 1000;
    this.options.link.send(controlPacket({ type: CONTROL.handshake, body: this.body, timestamp, to: 0 }));
  }

  private take(datagram: Buffer): void {
    const packet = readPacket(datagram, this.socketId);
    if (packet?.kind !== 'control' || packet.type !== CONTROL.handshake) return;
    const handshake = readHandshake(packet.body);
    if (handshake === null) return;
    try {
      if (isRejection(handshake)) throw rejectionFault(this.shown, handshake.type);
      if (handshake.type === HANDSHAKE.induction && this.phase === 'induction') this.conclude(handshake);
      else if (handshake.type === HANDSHAKE.conclusion && this.phase === 'conclusion') this.agree(handshake);
    } catch (error) {
      this.settle?.reject(error);
    }
  }

  private conclude({ version, extensionField, encryption, cookie }: Handshake): void {
    if (version < 5 || extensionField !== MAGIC)
      throw refused(this.shown, 'the server speaks a version of SRT before 1.3');
    const { streamId, keyBytes, latencyMs } = this.address;
    const bytes = keyBytes ?? KEY_BYTES.find((each) => each === encryption * 8) ?? 16;
    const extensions: Extension[] = [{ type: EXTENSION.request, body: writeAbilities(this.abilities(latencyMs)) }];
    let announced: number = ANNOUNCED.request;
    if (this.keys !== null) {
      extensions.push({ type: EXTENSION.keyRequest, body: this.keys.make(bytes) });
      announced |= ANNOUNCED.key;
    }
    if (streamId !== '') {
      extensions.push({ type: EXTENSION.streamId, body: writeStreamId(streamId) });
      announced |= ANNOUNCED.other;
    }
    const length = this.keys === null ? 0 : bytes / 8;
    const second = { version: 5, encryption: length, extensionField: announced, type: HANDSHAKE.conclusion, cookie };
    this.body = writeHandshake({ ...second, ...this.own, extensions });
    this.phase = 'conclusion';
    this.send();
  }

  private abilities(latencyMs: number) {
    return { version: VERSION, flags: FLAGS, receiverDelay: latencyMs, senderDelay: 0 };
  }

  private agree(handshake: Handshake): void {
    const { shown, keys, socketId, address } = this;
    const abilities = readAbilities(extensionOf(handshake, EXTENSION.response));
    if (abilities === null || abilities.version < OLDEST_VERSION) {
      throw refused(shown, 'the server speaks a version of SRT before 1.3');
    }
    if ((abilities.flags & STREAM_FLAG) !== 0)
      throw refused(shown, 'it is sent in file mode, and only live mode is read');
    if (keys !== null) takeAnswer(shown, keys, extensionOf(handshake, EXTENSION.keyResponse));
    const latencyMs = Math.max(address.latencyMs, abilities.senderDelay);
    const { link, timeoutSeconds } = this.options;
    const peer = { peerId: handshake.socketId, sequence: handshake.sequence };
    this.settle?.resolve(
      new SrtReceiver({ shown, link, socketId, latencyMs, keys, timeoutSeconds, handshakeReply: null, ...peer }),
    );
    this.settle = null;
  }
}

/** Checks what a server says to our key. */
function takeAnswer(shown: string, keys: Keys, answer: Buffer | null): void {
  const state =
    answer === null || answer.length < 4 ? KEY_STATE.noSecret : answer.length === 4 && answer.readUInt32BE(0);
  if (state === KEY_STATE.badMode) throw rejectionFault(shown, 1017);
  if (state === KEY_STATE.noSecret) throw rejectionFault(shown, 1011);
  if (state !== false) throw rejectionFault(shown, 1010);
  try {
    if (answer !== null) keys.take(answer);
  } catch (error) {
    throw error instanceof KeyFault && error.state === KEY_STATE.badSecret
      ? rejectionFault(shown, 1010)
      : rejectionFault(shown, 1017);
  }
}
