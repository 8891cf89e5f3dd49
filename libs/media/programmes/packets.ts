import { open } from 'node:fs/promises';
import { elementAt } from '@adit/contracts';

/** Bytes of a packet of a transport stream (ITU-T H.222.0, 2.4.3.2). */
export const PACKET_BYTES = 188;
const SYNC = 0x47;
/** Distances of packets: alone, behind a time code of 4 bytes, in front of a checksum of 16. */
const STRIDES = [188, 192, 204];
const READ_BYTES = 1 << 20;

/** Number of the stream that a packet belongs to, 0..8191. */
export function pidOf(packet: Buffer): number {
  return packet.readUInt16BE(1) & 0x1fff;
}

/**
 * Reads the packets of a transport stream without what stands between them, as many at a time as one read has. What is
 * no packet is left out: reading goes on at the next two of them.
 */
export async function* packetsIn(path: string, signal?: AbortSignal): AsyncGenerator<Buffer[], void, undefined> {
  const file = await open(path);
  try {
    let cutter: PacketCutter | null = null;
    for (let at = 0; ;) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      const bytes = buffer.subarray(0, bytesRead);
      cutter ??= new PacketCutter(strideOf(bytes));
      yield cutter.cut(bytes);
    }
  } finally {
    await file.close();
  }
}

/** Cuts a stream of bytes into packets. */
export class PacketCutter {
  private rest = Buffer.alloc(0);
  /** Bytes between two packets that are still to come. */
  private between = 0;
  /** Whether the next packet begins where the last one says. */
  private isInStep = false;

  constructor(private readonly stride: number) {}

  /** Returns the packets that are whole by now. */
  cut(bytes: Buffer): Buffer[] {
    const data = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const packets: Buffer[] = [];
    let at = this.between;
    for (; at + PACKET_BYTES <= data.length; at += this.stride) {
      if (!this.isInStep || data[at] !== SYNC) {
        const next = this.nextPair(data, at);
        this.isInStep = next !== null;
        at = next ?? Math.max(at, data.length - this.stride);
        if (next === null) break;
      }
      packets.push(data.subarray(at, at + PACKET_BYTES));
    }
    this.between = Math.max(at - data.length, 0);
    this.rest = Buffer.from(data.subarray(at));
    return packets;
  }

  /** Position of the next packet that another one follows. */
  private nextPair(data: Buffer, from: number): number | null {
    for (let at = data.indexOf(SYNC, from); at >= 0; at = data.indexOf(SYNC, at + 1)) {
      if (at + this.stride >= data.length) return null;
      if (data[at + this.stride] === SYNC) return at;
    }
    return null;
  }
}

/** Returns the distance of a stream's packets: the one at which most of them follow each other. */
export function strideOf(head: Buffer): number {
  const found = STRIDES.map((stride) => {
    let pairs = 0;
    for (let at = head.indexOf(SYNC); at >= 0; at = head.indexOf(SYNC, at + 1)) {
      if (head[at + stride] === SYNC && head[at + 2 * stride] === SYNC) pairs += 1;
    }
    return pairs;
  });
  return elementAt(STRIDES, found.indexOf(Math.max(...found)));
}
