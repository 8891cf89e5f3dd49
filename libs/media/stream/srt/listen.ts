import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { errorCode } from '@adit/contracts';
import { unavailable } from '../live-faults.js';
import { ANNOUNCED, EXTENSION, extensionOf, FLAGS, HANDSHAKE, MAGIC, OLDEST_VERSION } from './handshake.js';
import { readAbilities, readHandshake, readStreamId, STREAM_FLAG, VERSION } from './handshake.js';
import { writeAbilities, writeHandshake, type Extension, type Handshake } from './handshake.js';
import { KEY_STATE, KeyFault, Keys } from './key-material.js';
import { Link } from './link.js';
import { CONTROL, controlPacket, readPacket } from './packets.js';
import { WINDOW_PACKETS } from './receive-window.js';
import { SrtReceiver } from './receiver.js';
import type { SrtAddress } from './srt-address.js';

/** Why callers are refused, in numbers of the protocol. */
const REJECTION = {
  rogue: 1004,
  version: 1008,
  badSecret: 1010,
  unsecure: 1011,
  fileMode: 1012,
  crypto: 1017,
  forbidden: 2403,
};
/** Between two conclusions that are looked at: deriving a key takes a millisecond or two of the processor. */
const LEAST_CONCLUSION_MS = 50;
/** Callers are waited for at least as long: between two tries of the recorder the port is closed. */
const LEAST_WAIT_SECONDS = 30;
const RECEIVE_BYTES = 4 << 20;

interface ListenOptions {
  signal: AbortSignal;
  timeoutSeconds: number;
}

/** Waits for a caller that sends, and takes the first that is accepted. Throws SOURCE_UNAVAILABLE when none comes. */
export async function awaitCall(address: SrtAddress, shown: string, options: ListenOptions): Promise<SrtReceiver> {
  const socket = await bound(address.port, shown);
  const { signal, timeoutSeconds } = options;
  const waitSeconds = Math.max(timeoutSeconds, LEAST_WAIT_SECONDS);
  let abort = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<SrtReceiver>((resolve, reject) => {
      abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      const late = unavailable(shown, `nobody calls within ${waitSeconds} s`);
      timer = setTimeout(() => reject(late), waitSeconds * 1000);
      socket.on('error', (error) => reject(unavailable(shown, `its port failed (${error.message})`, error)));
      const listener = new Listener(socket, address, shown, timeoutSeconds);
      const take = (datagram: Buffer, from: RemoteInfo): void => {
        const receiver = listener.take(datagram, from);
        if (receiver === null) return;
        socket.off('message', take);
        resolve(receiver);
      };
      socket.on('message', take);
    });
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function bound(port: number, shown: string): Promise<Socket> {
  for (const [type, address] of [
    ['udp6', '::'],
    ['udp4', '0.0.0.0'],
  ] as const) {
    const socket = createSocket({ type, recvBufferSize: RECEIVE_BYTES });
    try {
      const listening = once(socket, 'listening');
      socket.bind({ port, address, exclusive: true });
      await listening;
      return socket;
    } catch (error) {
      socket.close();
      const code = errorCode(error) ?? '';
      if (type === 'udp6' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) continue;
      const why =
        code === 'EADDRINUSE'
          ? 'its port is in use by another stream or program'
          : `its port cannot be opened (${code})`;
      throw unavailable(shown, why, error);
    }
  }
  throw unavailable(shown, 'its port cannot be opened');
}

/** The handshake of who is called. Nothing is kept of an induction: its cookie proves that the caller got the answer. */
class Listener {
  private readonly secret = randomBytes(16);
  private readonly socketId = randomInt(1, 0x3fff_ffff);
  private readonly startedAt = performance.now();
  private lastConclusion = 0;

  constructor(
    private readonly socket: Socket,
    private readonly address: SrtAddress,
    private readonly shown: string,
    private readonly timeoutSeconds: number,
  ) {}

  /** Answers a datagram; returns the connection when it agrees on one. */
  take(datagram: Buffer, from: RemoteInfo): SrtReceiver | null {
    const packet = readPacket(datagram, 0);
    if (packet?.kind !== 'control' || packet.type !== CONTROL.handshake) return null;
    const handshake = readHandshake(packet.body);
    if (handshake === null) return null;
    if (handshake.type === HANDSHAKE.induction) this.induce(handshake, from);
    if (handshake.type !== HANDSHAKE.conclusion || handshake.cookie !== this.cookieOf(from)) return null;
    const now = performance.now();
    if (now - this.lastConclusion < LEAST_CONCLUSION_MS) return null;
    this.lastConclusion = now;
    return this.conclude(handshake, from);
  }

  private cookieOf({ address, port }: RemoteInfo): number {
    return createHmac('sha256', this.secret).update(`${address} ${port}`).digest().readUInt32BE(0);
  }

  private induce(asked: Handshake, from: RemoteInfo): void {
    const answer = { type: HANDSHAKE.induction, cookie: this.cookieOf(from), extensionField: MAGIC, extensions: [] };
    this.reply({ ...asked, ...answer, version: 5, encryption: 0, socketId: this.socketId }, asked, from);
  }

  private conclude(asked: Handshake, from: RemoteInfo): SrtReceiver | null {
    const keys = this.address.passphrase === null ? null : new Keys(this.address.passphrase);
    const rejection = this.objection(asked, keys);
    if (rejection !== null) {
      this.reply({ ...asked, type: rejection, extensionField: 0, extensions: [] }, asked, from);
      return null;
    }
    const { latencyMs: own } = this.address;
    const abilities = readAbilities(extensionOf(asked, EXTENSION.request));
    const latencyMs = Math.max(own, abilities?.senderDelay ?? 0);
    const said = {
      version: VERSION,
      flags: FLAGS,
      receiverDelay: latencyMs,
      senderDelay: abilities?.receiverDelay ?? 0,
    };
    const extensions: Extension[] = [{ type: EXTENSION.response, body: writeAbilities(said) }];
    const keyMessage = extensionOf(asked, EXTENSION.keyRequest);
    if (keyMessage !== null) extensions.push({ type: EXTENSION.keyResponse, body: keyMessage });
    const extensionField = ANNOUNCED.request | (keyMessage === null ? 0 : ANNOUNCED.key);
    const answer = { ...asked, window: WINDOW_PACKETS, socketId: this.socketId, extensionField, extensions };
    const handshakeReply = this.reply(answer, asked, from);
    const { shown, socketId, timeoutSeconds } = this;
    const link = new Link(this.socket, from, false);
    const peer = { peerId: asked.socketId, sequence: asked.sequence };
    return new SrtReceiver({ shown, link, socketId, latencyMs, keys, timeoutSeconds, handshakeReply, ...peer });
  }

  /** Why a caller is refused; null when it is accepted, and its keys are taken. */
  private objection(asked: Handshake, keys: Keys | null): number | null {
    const abilities = readAbilities(extensionOf(asked, EXTENSION.request));
    const keyMessage = extensionOf(asked, EXTENSION.keyRequest);
    const { streamId } = this.address;
    if (abilities === null) return REJECTION.rogue;
    if (asked.version < 5 || abilities.version < OLDEST_VERSION) return REJECTION.version;
    if ((abilities.flags & STREAM_FLAG) !== 0) return REJECTION.fileMode;
    if ((keys === null) !== (keyMessage === null)) return REJECTION.unsecure;
    if (keys !== null && keyMessage !== null) {
      try {
        keys.take(keyMessage);
      } catch (error) {
        if (!(error instanceof KeyFault)) throw error;
        return error.state === KEY_STATE.badSecret ? REJECTION.badSecret : REJECTION.crypto;
      }
    }
    // After the passphrase, so that only who knows that can find out the other.
    if (streamId !== '' && readStreamId(extensionOf(asked, EXTENSION.streamId)) !== streamId)
      return REJECTION.forbidden;
    return null;
  }

  /** Answers a handshake and returns the answer. */
  private reply(handshake: Handshake, { socketId: to }: Handshake, { address, port }: RemoteInfo): Buffer {
    const timestamp = (performance.now() - this.startedAt) * 1000;
    const packet = controlPacket({ type: CONTROL.handshake, body: writeHandshake(handshake), timestamp, to });
    this.socket.send(packet, port, address, () => undefined);
    return packet;
  }
}
