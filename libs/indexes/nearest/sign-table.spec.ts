import { describe, expect, it } from '@jest/globals';
import { lookAlike, numbers, someFace } from '../testing/faces.js';
import { packedSigns, packedSignsOfArray } from './packed-signs.js';
import { SignMemory, SignTable } from './sign-table.js';

const FIRST = 1_000_000_000;

function someSigns(dimensions: number, next: () => number): Uint8Array {
  return packedSigns(Array.from({ length: dimensions }, () => next() - 0.5));
}

function differing(a: Uint8Array, b: Uint8Array): number {
  let bits = 0;
  for (let at = 0; at < a.length; at += 1) {
    for (let rest = (a[at] ?? 0) ^ (b[at] ?? 0); rest > 0; rest &= rest - 1) bits += 1;
  }
  return bits;
}

describe('SignTable', () => {
  // Words in one part and in several, an incomplete last one, a row longer than any.
  it.each([8, 100, 512, 1_000, 2_048, 16_000])(
    'finds the rows whose %d signs differ least, in any number of rows',
    (dimensions) => {
      const next = numbers(dimensions);
      const table = new SignTable(new SignMemory(), dimensions);
      const rows: Uint8Array[] = [];
      for (const count of [1, 3, 4, 5, 130]) {
        while (rows.length < count) {
          rows.push(someSigns(dimensions, next));
          table.set(FIRST + rows.length - 1, rows.at(-1)!);
        }
        const query = someSigns(dimensions, next);
        const distances = rows.map((row) => differing(row, query));
        const order = [...distances].sort((a, b) => a - b);
        for (const wanted of [1, 2, 7, 200]) {
          const found = table.nearest(query, wanted);
          expect(new Set(found).size).toBe(Math.min(wanted, count));
          const got = found.map((id) => distances[id - FIRST]!).sort((a, b) => a - b);
          expect(got).toEqual(order.slice(0, wanted));
        }
      }
    },
  );

  it('holds more rows than a block, and updates in place', () => {
    const next = numbers(7);
    const table = new SignTable(new SignMemory(), 64);
    const rows = Array.from({ length: 60_000 }, () => someSigns(64, next));
    rows.forEach((row, at) => table.set(9_999_999_999 - at, row));
    const moved = packedSigns(Array.from({ length: 64 }, () => 1));
    table.set(9_999_999_999 - 30_000, moved);
    expect(table.size).toBe(60_000);
    expect(table.nearest(moved, 1)).toEqual([9_999_999_999 - 30_000]);
    for (const at of [0, 1, 29_999, 59_999]) {
      const found = table.nearest(rows[at]!, 1).map((id) => differing(rows[9_999_999_999 - id]!, rows[at]!));
      expect(found).toEqual([0]);
    }
  });

  it('returns no more than requested where all are equal', () => {
    const table = new SignTable(new SignMemory(), 512);
    const signs = packedSigns(someFace(1));
    for (let at = 0; at < 1_000; at += 1) table.set(FIRST + at, signs);
    expect(table.nearest(signs, 10)).toHaveLength(10);
    expect(table.nearest(packedSigns(someFace(2)), 10)).toHaveLength(10);
  });

  it('releases its blocks cleared', () => {
    const memory = new SignMemory();
    const full = new SignTable(memory, 512);
    for (let at = 0; at < 5_000; at += 1) full.set(FIRST + at, new Uint8Array(64).fill(0xff));
    const taken = memory.bytes.byteLength;
    const isLeft = () => new Uint8Array(memory.bytes).subarray(-512 * 1024).some((byte) => byte === 0xff);
    expect(isLeft()).toBe(true);
    full.drop();
    expect(isLeft()).toBe(false);
    const next = new SignTable(memory, 100);
    next.set(FIRST, packedSigns(Array.from({ length: 100 }, () => -1)));
    expect(next.nearest(new Uint8Array(13).fill(0xff), 3)).toEqual([FIRST]);
    expect(memory.bytes.byteLength).toBe(taken);
  });

  it('finds other views of a face among many', () => {
    const table = new SignTable(new SignMemory(), 512);
    for (let at = 0; at < 3_000; at += 1) table.set(FIRST + at, packedSigns(someFace(at)));
    for (let at = 0; at < 3_000; at += 100) {
      expect(table.nearest(packedSigns(lookAlike(someFace(at), 0.8, at)), 1)).toEqual([FIRST + at]);
    }
  });
});

describe('packedSigns', () => {
  it('has a bit per value above zero, the first one highest', () => {
    expect([...packedSigns([1, 0, -1, 0.5, -0, 1e-30, -2, 3, 4])]).toEqual([0b10010101, 0b10000000]);
  });

  it('gives the same for an array as PostgreSQL sends it', () => {
    const values = someFace(3);
    const bytes = Buffer.alloc(20 + 8 * values.length);
    values.forEach((value, at) => bytes.writeFloatBE(value, 24 + 8 * at));
    expect(packedSignsOfArray(bytes)).toEqual(packedSigns(values));
  });
});
