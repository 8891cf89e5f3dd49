/**
 * Packets of SRT, as draft-sharabayko-srt-01 describes them ("The SRT Protocol", an Internet-Draft of the IETF). Numbers
 * are big-endian. Sequence numbers have 31 bits and wrap around.
 */

export const HEADER_BYTES = 16;
/** Of a datagram within an Ethernet frame, without the headers of IPv4 and UDP. */
export const MAX_PACKET_BYTES = 1472;
/** Largest message of live mode. */
export const MAX_PAYLOAD_BYTES = MAX_PACKET_BYTES - HEADER_BYTES;

export const CONTROL = {
  handshake: 0,
  keepAlive: 1,
  ack: 2,
  nak: 3,
  shutdown: 5,
  ackAck: 6,
  dropRequest: 7,
  /** Carries the messages of extensions. */
  extension: 0x7fff,
} as const;

/** Which key a data packet was encrypted with: none, the even or the odd one. */
export type KeyFlag = 0 | 1 | 2 | 3;

export interface DataPacket {
  kind: 'data';
  sequence: number;
  /** Whether the packet is a whole message, as all are in live mode. */
  isWhole: boolean;
  key: KeyFlag;
  payload: Buffer;
}

export interface ControlPacket {
  kind: 'control';
  type: number;
  /** Kind of an extension's message; else 0. */
  subtype: number;
  /** Second word of the header; its meaning depends on the type. */
  info: number;
  body: Buffer;
}

/** Reads a datagram. Null for one that is no packet of SRT, or not for this socket. */
export function readPacket(datagram: Buffer, socketId: number): DataPacket | ControlPacket | null {
  if (datagram.length < HEADER_BYTES || datagram.length > MAX_PACKET_BYTES) return null;
  if (datagram.readUInt32BE(12) !== socketId) return null;
  const first = datagram.readUInt32BE(0);
  const second = datagram.readUInt32BE(4);
  const rest = datagram.subarray(HEADER_BYTES);
  if (first < 0x8000_0000) {
    const key = ((second >>> 27) & 3) as KeyFlag;
    return { kind: 'data', sequence: first, isWhole: second >>> 30 === 3, key, payload: rest };
  }
  return { kind: 'control', type: (first >>> 16) & 0x7fff, subtype: first & 0xffff, info: second, body: rest };
}

export interface ControlFields {
  type: number;
  subtype?: number;
  info?: number;
  body?: Buffer;
  /** Microseconds since the connection was begun. */
  timestamp: number;
  /** Socket of the other end; 0 before it is known. */
  to: number;
}

export function controlPacket({ type, subtype = 0, info = 0, body, timestamp, to }: ControlFields): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE((0x8000_0000 | (type << 16) | subtype) >>> 0, 0);
  header.writeUInt32BE(info >>> 0, 4);
  header.writeUInt32BE(timestamp >>> 0, 8);
  header.writeUInt32BE(to >>> 0, 12);
  return body === undefined ? header : Buffer.concat([header, body]);
}

/** How far `to` is ahead of `from`, negative where it is behind: −2³⁰ to 2³⁰ − 1. */
export function distance(from: number, to: number): number {
  return ((to - from) << 1) >> 1;
}

export function advanced(sequence: number, by: number): number {
  return (sequence + by) & 0x7fff_ffff;
}

/** Sequence numbers from the first to the last one, both included. */
export type SequenceRange = readonly [first: number, last: number];

/** Body of a NAK: numbers and ranges of what is missing. */
export function lossList(ranges: readonly SequenceRange[]): Buffer {
  const words = ranges.flatMap(([first, last]) => (first === last ? [first] : [(first | 0x8000_0000) >>> 0, last]));
  return wordsOf(words);
}

export function wordsOf(words: readonly number[]): Buffer {
  const body = Buffer.alloc(words.length * 4);
  words.forEach((word, i) => body.writeUInt32BE(word >>> 0, i * 4));
  return body;
}
