import { PACKET_BYTES } from './packets.js';

/** Bytes of a table's section, its header of 3 included (ITU-T H.222.0, 2.4.4). */
const MOST_BYTES = 1024;
const HEADER_BYTES = 3;
const CRC_BYTES = 4;
const STUFFING = 0xff;

/** Reads the sections of tables that one stream of packets carries. */
export class SectionReader {
  private held = Buffer.alloc(0);
  /** Whether the beginning of what is held is known. */
  private hasBegun = false;

  /** Returns the sections that end in a packet; damaged ones are left out. */
  take(packet: Buffer): Buffer[] {
    const payload = payloadOf(packet);
    if (payload === null) return [];
    if ((packet.readUInt8(1) & 0x40) === 0) return this.hasBegun ? this.add(payload) : [];
    // The pointer says where the first section begins that begins here.
    const pointer = payload.readUInt8(0);
    const ended = this.hasBegun ? this.add(payload.subarray(1, 1 + pointer)) : [];
    this.held = Buffer.alloc(0);
    this.hasBegun = true;
    return [...ended, ...this.add(payload.subarray(1 + pointer))];
  }

  private add(bytes: Buffer): Buffer[] {
    this.held = Buffer.concat([this.held, bytes]);
    const sections: Buffer[] = [];
    while (this.held.length >= HEADER_BYTES && this.held[0] !== STUFFING) {
      const length = HEADER_BYTES + (this.held.readUInt16BE(1) & 0xfff);
      if (length > MOST_BYTES) return this.lost(sections);
      if (this.held.length < length) return sections;
      const section = this.held.subarray(0, length);
      if (length > HEADER_BYTES + CRC_BYTES && crc32(section) === 0) sections.push(section);
      this.held = this.held.subarray(length);
    }
    return this.held[0] === STUFFING ? this.lost(sections) : sections;
  }

  /** Waits for the next beginning. */
  private lost(sections: Buffer[]): Buffer[] {
    this.held = Buffer.alloc(0);
    this.hasBegun = false;
    return sections;
  }
}

/** Streams of a programme, as its map (PMT) has them. */
export interface ProgrammeMap {
  programme: number;
  pids: number[];
}

/** Programmes of an association table (PAT), with the stream of each one's map; null for another table. */
export function associationsIn(section: Buffer): Map<number, number> | null {
  if (!isCurrent(section, 0)) return null;
  const found = new Map<number, number>();
  for (let at = 8; at + 4 <= section.length - CRC_BYTES; at += 4) {
    const programme = section.readUInt16BE(at);
    // 0 is the network.
    if (programme > 0) found.set(programme, section.readUInt16BE(at + 2) & 0x1fff);
  }
  return found;
}

/** Streams that a map names, the one of its clock included; null for another table. */
export function mapIn(section: Buffer): ProgrammeMap | null {
  if (!isCurrent(section, 2) || section.length < 12 + CRC_BYTES) return null;
  const pids = [section.readUInt16BE(8) & 0x1fff];
  const end = section.length - CRC_BYTES;
  for (
    let at = 12 + (section.readUInt16BE(10) & 0xfff);
    at + 5 <= end;
    at += 5 + (section.readUInt16BE(at + 3) & 0xfff)
  ) {
    pids.push(section.readUInt16BE(at + 1) & 0x1fff);
  }
  return { programme: section.readUInt16BE(3), pids };
}

/** Returns an association table of one programme in place of another one. */
export function associationOf(section: Buffer, programme: number, pid: number): Buffer {
  const own = Buffer.alloc(16);
  // Header, identity and version stay; the length is that of one programme, in the only section.
  section.copy(own, 0, 0, 6);
  own.writeUInt16BE(0xb000 | (own.length - HEADER_BYTES), 1);
  own.writeUInt16BE(programme, 8);
  own.writeUInt16BE(0xe000 | pid, 10);
  own.writeUInt32BE(crc32(own.subarray(0, 12)), 12);
  return own;
}

/** Returns the packets of a section. `counter` is the number of the packets of its stream before it. */
export function packetsOf(section: Buffer, pid: number, counter: number): Buffer[] {
  const payload = Buffer.concat([Buffer.of(0), section]);
  const size = PACKET_BYTES - 4;
  return Array.from({ length: Math.ceil(payload.length / size) }, (_, at) => {
    const packet = Buffer.alloc(PACKET_BYTES, STUFFING);
    packet.writeUInt8(0x47, 0);
    packet.writeUInt16BE((at === 0 ? 0x4000 : 0) | pid, 1);
    packet.writeUInt8(0x10 | ((counter + at) & 0xf), 3);
    payload.copy(packet, 4, at * size, (at + 1) * size);
    return packet;
  });
}

/** Null for a packet without any. */
function payloadOf(packet: Buffer): Buffer | null {
  const control = packet.readUInt8(3);
  if ((control & 0x10) === 0) return null;
  const start = (control & 0x20) === 0 ? 4 : 5 + packet.readUInt8(4);
  return start < PACKET_BYTES ? packet.subarray(start) : null;
}

function isCurrent(section: Buffer, table: number): boolean {
  return section.length >= 8 + CRC_BYTES && section[0] === table && (section.readUInt8(5) & 1) === 1;
}

/** Returns the CRC of a section; 0 with an intact CRC at its end (ITU-T H.222.0, annex A). */
export function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80000000) === 0 ? crc << 1 : (crc << 1) ^ 0x04c11db7;
  }
  return crc >>> 0;
}
