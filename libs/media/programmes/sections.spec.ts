import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PACKET_BYTES, PacketCutter, pidOf, strideOf } from './packets.js';
import { associationOf, associationsIn, crc32, mapIn, packetsOf, SectionReader } from './sections.js';

/** The table of programme 1, of which the map is in stream 0x1000, as ffmpeg writes it. */
const PAT = Buffer.from('00b00d0001c100000001f0002ab104b2', 'hex');

it('an association table is read, and written for one programme', () => {
  expect(associationsIn(PAT)).toEqual(new Map([[1, 0x1000]]));
  expect(associationOf(PAT, 1, 0x1000)).toEqual(PAT);
  expect(associationsIn(associationOf(PAT, 202, 0x321))).toEqual(new Map([[202, 0x321]]));
  expect(mapIn(PAT)).toBeNull();
});

it('a table that is damaged, or of later, is none', () => {
  for (let at = 0; at < PAT.length; at++) {
    const damaged = Buffer.from(PAT);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
    const [packet] = packetsOf(damaged, 0, 0);
    expect(new SectionReader().take(packet ?? Buffer.alloc(PACKET_BYTES))).toEqual([]);
  }
  const later = Buffer.from(PAT);
  later.writeUInt8(0xc0, 5);
  expect(associationsIn(later)).toBeNull();
});

/** The map of a programme with as many streams. */
function longMap(programme: number, streams: number): Buffer {
  const map = Buffer.alloc(12 + 5 * streams + 4);
  map.writeUInt16BE(0x02b0, 0);
  map.writeUInt16BE(0xb000 | (map.length - 3), 1);
  map.writeUInt16BE(programme, 3);
  map.writeUInt8(0xc1, 5);
  map.writeUInt16BE(0xe000 | 0x100, 8);
  map.writeUInt16BE(0xf000, 10);
  for (let at = 0; at < streams; at++) {
    map.writeUInt16BE(0xe000 | (0x100 + at), 13 + 5 * at);
    map.writeUInt16BE(0xf000, 15 + 5 * at);
  }
  map.writeUInt32BE(crc32(map.subarray(0, -4)), map.length - 4);
  return map;
}

it('a section is read from as many packets as it takes', () => {
  const sections = [longMap(101, 100), longMap(202, 1), longMap(303, 200)];
  const packets: Buffer[] = [];
  for (const section of sections) packets.push(...packetsOf(section, 0x20, packets.length));
  expect(packets.length).toBe(10);
  expect(packets.map(pidOf)).toEqual(packets.map(() => 0x20));
  expect(packets.map((packet) => packet.readUInt8(3) & 0xf)).toEqual(packets.map((_, at) => at));
  const reader = new SectionReader();
  const read = packets.flatMap((packet) => reader.take(packet));
  expect(read).toEqual(sections);
  expect(read.map((section) => mapIn(section)?.pids.length)).toEqual([101, 2, 201]);
  // A reader that misses a beginning waits for the next one.
  const late = new SectionReader();
  expect(packets.slice(1).flatMap((packet) => late.take(packet))).toEqual(sections.slice(1));
});

it('no packets make a reader of tables fail', () => {
  const packet = fc.uint8Array({ minLength: PACKET_BYTES, maxLength: PACKET_BYTES }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 20 }), (packets) => {
      const reader = new SectionReader();
      for (const each of packets) {
        for (const section of reader.take(each)) {
          associationsIn(section);
          mapIn(section);
        }
      }
    }),
  );
  const section = fc.uint8Array({ maxLength: 1024 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(section, fc.constantFrom(0, 2), (bytes, table) => {
      const whole = Buffer.concat([Buffer.of(table, 0xb0, 0, 0, 1, 0xc1), bytes]);
      associationsIn(whole);
      mapIn(whole);
    }),
  );
});

it.each([188, 192, 204])('packets at a distance of %i are cut, however their bytes arrive', (stride) => {
  const packets = Array.from({ length: 20 }, (_, at) => Buffer.alloc(PACKET_BYTES, at).fill(0x47, 0, 1));
  const stream = Buffer.concat(packets.map((packet) => Buffer.concat([packet, Buffer.alloc(stride - PACKET_BYTES)])));
  expect(strideOf(stream)).toBe(stride);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1 }), fc.nat(300), (sizes, before) => {
      const bytes = Buffer.concat([Buffer.alloc(before, 0x55), stream]);
      const cutter = new PacketCutter(stride);
      const found: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        found.push(...cutter.cut(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(found).toEqual(packets);
    }),
  );
});
