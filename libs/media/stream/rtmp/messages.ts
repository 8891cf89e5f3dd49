/** A message of RTMP 1.0, put together from its chunks. */
export interface RtmpMessage {
  chunkStream: number;
  timestamp: number;
  type: number;
  streamId: number;
  payload: Buffer;
}

/** A reader sends commands of a few hundred bytes. */
const MAX_MESSAGE_BYTES = 64 << 10;
const MAX_CHUNK_STREAMS = 64;
const EXTENDED = 0xffffff;
export const SET_CHUNK_SIZE = 1;

interface ChunkStream extends Omit<RtmpMessage, 'chunkStream' | 'payload'> {
  length: number;
  delta: number;
  isExtended: boolean;
  pieces: Buffer[];
  bytes: number;
}

/** Puts messages together from the chunks of a connection, after its handshake. Throws a RangeError for anything else. */
export class RtmpReader {
  private held: Buffer = Buffer.alloc(0);
  private chunkSize = 128;
  private readonly streams = new Map<number, ChunkStream>();

  *add(piece: Buffer): Generator<RtmpMessage> {
    this.held = Buffer.concat([this.held, piece]);
    for (let message; (message = this.next()) !== undefined;) if (message !== null) yield message;
  }

  /** Takes one chunk. Returns the message that it completes, null, or undefined when the chunk is not complete. */
  private next(): RtmpMessage | null | undefined {
    const { held } = this;
    const [first] = held;
    if (first === undefined) return undefined;
    const format = first >> 6;
    const low = first & 63;
    let at = low > 1 ? 1 : 2 + low;
    const headerBytes = [11, 7, 3, 0][format] ?? 0;
    if (held.length < at + headerBytes) return undefined;
    const id = low === 0 ? 64 + held.readUInt8(1) : low === 1 ? 64 + held.readUInt16LE(1) : low;
    const known = this.streams.get(id);
    if (known === undefined && format !== 0) throw new RangeError('A chunk continues nothing.');
    const stream: ChunkStream = { ...(known ?? NOTHING) };
    let time = 0;
    if (format < 3) time = held.readUIntBE(at, 3);
    if (format < 2) {
      stream.length = held.readUIntBE(at + 3, 3);
      stream.type = held.readUInt8(at + 6);
    }
    if (format === 0) stream.streamId = held.readUInt32LE(at + 7);
    at += headerBytes;
    if (format < 3) stream.isExtended = time === EXTENDED;
    if (stream.isExtended) {
      if (held.length < at + 4) return undefined;
      time = held.readUInt32BE(at);
      at += 4;
    }
    if (stream.length > MAX_MESSAGE_BYTES) throw new RangeError('A message is too long.');
    const size = Math.min(this.chunkSize, stream.length - stream.bytes);
    if (held.length < at + size) return undefined;
    if (stream.bytes === 0) advance(stream, format, time);
    stream.pieces = [...stream.pieces, held.subarray(at, at + size)];
    stream.bytes += size;
    this.held = held.subarray(at + size);
    return this.keep(id, stream);
  }

  private keep(id: number, stream: ChunkStream): RtmpMessage | null {
    if (!this.streams.has(id) && this.streams.size === MAX_CHUNK_STREAMS)
      throw new RangeError('Too many chunk streams.');
    if (stream.bytes < stream.length) {
      this.streams.set(id, stream);
      return null;
    }
    const payload = Buffer.concat(stream.pieces);
    this.streams.set(id, { ...stream, pieces: [], bytes: 0 });
    const { timestamp, type, streamId } = stream;
    if (type === SET_CHUNK_SIZE) this.chunkSize = chunkSizeOf(payload);
    return { chunkStream: id, timestamp, type, streamId, payload };
  }
}

const NOTHING: ChunkStream = {
  ...{ timestamp: 0, type: 0, streamId: 0, length: 0, delta: 0 },
  ...{ isExtended: false, pieces: [], bytes: 0 },
};

function advance(stream: ChunkStream, format: number, time: number): void {
  if (format === 0) {
    stream.timestamp = time;
    stream.delta = 0;
  } else {
    if (format < 3) stream.delta = time;
    stream.timestamp = (stream.timestamp + stream.delta) >>> 0;
  }
}

/** Size of the chunks that follow a message of type `SET_CHUNK_SIZE`. */
export function chunkSizeOf(payload: Buffer): number {
  const size = payload.length >= 4 ? payload.readUInt32BE(0) : 0;
  if (size < 1 || size > MAX_MESSAGE_BYTES) throw new RangeError('A chunk size cannot be used.');
  return size;
}

/** Writes a message in chunks of this size. */
export function writeRtmp({ chunkStream, timestamp, type, streamId, payload }: RtmpMessage, chunkSize: number): Buffer {
  const isExtended = timestamp >= EXTENDED;
  const head = Buffer.alloc(11);
  head.writeUIntBE(isExtended ? EXTENDED : timestamp, 0, 3);
  head.writeUIntBE(payload.length, 3, 3);
  head.writeUInt8(type, 6);
  head.writeUInt32LE(streamId, 7);
  const extension = Buffer.alloc(isExtended ? 4 : 0);
  if (isExtended) extension.writeUInt32BE(timestamp);
  const parts: Buffer[] = [basicHeader(0, chunkStream), head, extension];
  for (let at = 0; at === 0 || at < payload.length; at += chunkSize) {
    if (at > 0) parts.push(basicHeader(3, chunkStream), extension);
    parts.push(payload.subarray(at, at + chunkSize));
  }
  return Buffer.concat(parts);
}

function basicHeader(format: number, id: number): Buffer {
  if (id < 64) return Buffer.from([(format << 6) | id]);
  if (id < 320) return Buffer.from([format << 6, id - 64]);
  return Buffer.from([(format << 6) | 1, (id - 64) & 255, (id - 64) >> 8]);
}
