import { wordsOf } from './packets.js';

/** Types of handshakes; from 1000 on they say why a connection is refused. */
export const HANDSHAKE = { induction: 1, conclusion: 0xffff_ffff } as const;
export const FIRST_REJECTION = 1000;
const LAST_REJECTION = 10_000;

/** Extensions of a conclusion. */
export const EXTENSION = { request: 1, response: 2, keyRequest: 3, keyResponse: 4, streamId: 5 } as const;
/** Bits that announce them. */
export const ANNOUNCED = { request: 1, key: 2, other: 4 } as const;
/** Of the extension field in the answer to an induction. */
export const MAGIC = 0x4a17;
/** The extension field of the first induction: datagrams. */
export const DATAGRAMS = 2;

/** Abilities: delivery by time at both ends, encryption, dropping what is late, repeated NAKs, a mark on what is resent. */
export const FLAGS = 0x3f;
/** Set where messages are parts of one stream of bytes (file mode). */
export const STREAM_FLAG = 0x40;
/** 1.5.3: what is spoken here. */
export const VERSION = 0x0001_0503;
/** The first version with this handshake. */
export const OLDEST_VERSION = 0x0001_0300;

const HANDSHAKE_BYTES = 48;
/** Extensions of one handshake; there are 8 kinds. */
const MAX_EXTENSIONS = 16;
export const MAX_STREAM_ID_BYTES = 512;

export interface Handshake {
  /** 4 in the first packet, 5 in all others. */
  version: number;
  /** Length of the key in units of 8 bytes; 0 for none or any. */
  encryption: number;
  /** Announced extensions; in inductions `DATAGRAMS` or `MAGIC`. */
  extensionField: number;
  /** Sequence number of the first data packet. */
  sequence: number;
  /** Packets that may be on their way. */
  window: number;
  type: number;
  /** Of who sends it. */
  socketId: number;
  cookie: number;
  extensions: readonly Extension[];
}

export interface Extension {
  type: number;
  body: Buffer;
}

/** What HSREQ and HSRSP say. Delays are in milliseconds. */
export interface Abilities {
  version: number;
  flags: number;
  receiverDelay: number;
  senderDelay: number;
}

/** @param peer IP address of the other end, 16 bytes */
export function writeHandshake(handshake: Handshake, peer: Buffer = Buffer.alloc(16)): Buffer {
  const { version, encryption, extensionField, sequence, window, type, socketId, cookie } = handshake;
  const words = [version, ((encryption << 16) | extensionField) >>> 0, sequence, 1500, window, type, socketId, cookie];
  const extensions = handshake.extensions.flatMap(({ type: kind, body }) => {
    const padding = Buffer.alloc((4 - (body.length % 4)) % 4);
    return [wordsOf([((kind << 16) | ((body.length + padding.length) / 4)) >>> 0]), body, padding];
  });
  return Buffer.concat([wordsOf(words), peer, ...extensions]);
}

/** Null for what is no handshake. */
export function readHandshake(body: Buffer): Handshake | null {
  if (body.length < HANDSHAKE_BYTES) return null;
  const type = body.readUInt32BE(20);
  const extensions = type === HANDSHAKE.conclusion ? extensionsOf(body.subarray(HANDSHAKE_BYTES)) : [];
  if (extensions === null) return null;
  return {
    version: body.readUInt32BE(0),
    encryption: body.readUInt16BE(4),
    extensionField: body.readUInt16BE(6),
    sequence: body.readUInt32BE(8) & 0x7fff_ffff,
    window: body.readUInt32BE(16),
    type,
    socketId: body.readUInt32BE(24),
    cookie: body.readUInt32BE(28),
    extensions,
  };
}

function extensionsOf(body: Buffer): Extension[] | null {
  const found: Extension[] = [];
  for (let at = 0; at + 4 <= body.length && found.length < MAX_EXTENSIONS;) {
    const end = at + 4 + body.readUInt16BE(at + 2) * 4;
    if (end > body.length) return null;
    found.push({ type: body.readUInt16BE(at), body: body.subarray(at + 4, end) });
    at = end;
  }
  return found;
}

export function extensionOf({ extensions }: Handshake, type: number): Buffer | null {
  return extensions.find((each) => each.type === type)?.body ?? null;
}

export function writeAbilities({ version, flags, receiverDelay, senderDelay }: Abilities): Buffer {
  return wordsOf([version, flags, ((receiverDelay << 16) | senderDelay) >>> 0]);
}

/** Null without the extension, or when it is too short. */
export function readAbilities(body: Buffer | null): Abilities | null {
  if (body === null || body.length < 12) return null;
  return {
    version: body.readUInt32BE(0),
    flags: body.readUInt32BE(4),
    receiverDelay: body.readUInt16BE(8),
    senderDelay: body.readUInt16BE(10),
  };
}

/** The words of a stream id travel with their bytes in reverse order. */
export function writeStreamId(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]).swap32();
}

export function readStreamId(body: Buffer | null): string {
  if (body === null || body.length % 4 !== 0 || body.length > MAX_STREAM_ID_BYTES) return '';
  return Buffer.from(body).swap32().toString().replace(/\0+$/, '');
}

export function isRejection({ type }: Handshake): boolean {
  return type >= FIRST_REJECTION && type < LAST_REJECTION;
}
