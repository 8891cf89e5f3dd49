import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { advanced, distance } from './packets.js';
import { ReceiveWindow, WINDOW_PACKETS } from './receive-window.js';

const START = fc.constantFrom(0, 1000, 2 ** 31 - 1, 2 ** 31 - 20);

function windowFrom(start: number): { window: ReceiveWindow; passed: number[] } {
  const passed: number[] = [];
  return { passed, window: new ReceiveWindow(start, 100, (payload) => passed.push(payload.readUInt32BE())) };
}

function payload(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

describe('the window of a receiver', () => {
  it('passes on in order what comes in any order, doubled or not at all, also where numbers wrap around', () => {
    const arriving = fc.array(fc.nat({ max: 60 }), { maxLength: 200 });
    fc.assert(
      fc.property(START, arriving, (start, order) => {
        const { window, passed } = windowFrom(start);
        for (const ahead of order) {
          const sequence = advanced(start, ahead);
          if (window.wants(sequence)) window.add(sequence, payload(ahead), 0);
        }
        window.expire(99);
        const beforeHole = passed.length;
        expect(passed).toEqual(Array.from({ length: beforeHole }, (_, i) => i));
        expect(order).not.toContain(beforeHole);
        window.expire(100);
        expect(passed).toEqual([...new Set(order)].sort((a, b) => a - b));
        const end = Math.max(-1, ...order) + 1;
        expect(window.lost).toBe(end - passed.length);
        expect(distance(start, window.acknowledged)).toBe(end);
        expect(window.room).toBe(WINDOW_PACKETS);
      }),
    );
  });

  it('names exactly what is missing', () => {
    fc.assert(
      fc.property(START, fc.uniqueArray(fc.nat({ max: 40 }), { minLength: 1 }), (start, order) => {
        const { window } = windowFrom(start);
        const told = new Set<number>();
        for (const ahead of order) {
          const range = window.wants(advanced(start, ahead))
            ? window.add(advanced(start, ahead), payload(ahead), 0)
            : null;
          if (range !== null) expanded(start, [range]).forEach((missing) => told.add(missing));
        }
        const end = Math.max(...order);
        const missing = Array.from({ length: end }, (_, i) => i).filter((ahead) => !order.includes(ahead));
        expect(expanded(start, window.missing(100))).toEqual(missing);
        expect([...told]).toEqual(expect.arrayContaining(missing));
        expect(window.missing(1).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('holds no more than its size', () => {
    const { window, passed } = windowFrom(5);
    for (let ahead = 1; ahead < WINDOW_PACKETS; ahead++) window.add(advanced(5, ahead), payload(ahead), 0);
    expect(window.room).toBe(1);
    expect(window.wants(5 + WINDOW_PACKETS)).toBe(false);
    window.add(5, payload(0), 0);
    expect([passed.length, window.room, window.lost]).toEqual([WINDOW_PACKETS, WINDOW_PACKETS, 0]);
  });

  it('does not wait for what the sender has dropped', () => {
    const { window, passed } = windowFrom(0);
    window.add(3, payload(3), 0);
    window.drop([0, 0], 0);
    expect([passed, window.lost]).toEqual([[], 1]);
    window.drop([1, 5], 0);
    expect([passed, window.lost, window.acknowledged]).toEqual([[3], 5, 6]);
  });
});

function expanded(start: number, ranges: readonly (readonly [number, number])[]): number[] {
  return ranges.flatMap(([first, last]) =>
    Array.from({ length: distance(first, last) + 1 }, (_, i) => distance(start, first) + i),
  );
}
