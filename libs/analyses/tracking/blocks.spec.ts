import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blocksOf, changedBlocks } from './blocks.js';

/** A grey picture with a lighter box. */
function picture(width: number, height: number, box = { x: 0, y: 0, w: 0, h: 0 }, lighter = 40) {
  const data = new Uint8Array(width * height * 3).fill(100);
  for (let y = box.y; y < box.y + box.h; y++)
    for (let x = box.x; x < box.x + box.w; x++) data.fill(100 + lighter, (y * width + x) * 3, (y * width + x) * 3 + 3);
  return { data, width, height };
}
const whole = { x: 0, y: 0, w: 64, h: 48 };
const plain = blocksOf(picture(64, 48));

describe('changedBlocks', () => {
  it('counts blocks that a box has changed, once each', () => {
    const now = blocksOf(picture(64, 48, { x: 8, y: 16, w: 16, h: 8 }));
    expect(changedBlocks(now, [plain], whole)).toBe(2);
    expect(changedBlocks(plain, [now], whole)).toBe(2);
    expect(changedBlocks(now, [now], whole)).toBe(0);
  });

  it('counts what none of several pictures showed', () => {
    const left = blocksOf(picture(64, 48, { x: 0, y: 0, w: 8, h: 8 }));
    const both = blocksOf(picture(64, 48, { x: 0, y: 0, w: 16, h: 8 }));
    expect(changedBlocks(left, [plain, both], whole)).toBe(0);
    expect(changedBlocks(both, [plain, left], whole)).toBe(1);
  });

  it('counts inside a region, beside exceptions', () => {
    const now = blocksOf(picture(64, 48, { x: 0, y: 0, w: 64, h: 8 }));
    expect(changedBlocks(now, [plain], { x: 12, y: 0, w: 12, h: 48 })).toBe(2);
    expect(changedBlocks(now, [plain], whole, [{ x: -20, y: -20, w: 52, h: 52 }])).toBe(4);
    expect(changedBlocks(now, [plain], whole, [{ x: 100, y: 100, w: 9, h: 9 }])).toBe(8);
  });

  it('does not count what compression changes', () => {
    const now = blocksOf(picture(64, 48, { x: 0, y: 0, w: 64, h: 48 }, 4));
    expect(changedBlocks(now, [plain], whole)).toBe(0);
  });

  it('notices the smallest face that is looked for, anywhere in a picture of any size', () => {
    const sides = fc.integer({ min: 24, max: 90 });
    fc.assert(
      fc.property(sides, sides, fc.double({ min: 0, max: 1, noNaN: true }), (width, height, at) => {
        const box = { x: Math.floor(at * (width - 10)), y: Math.floor(at * (height - 10)), w: 10, h: 10 };
        const [before, now] = [blocksOf(picture(width, height)), blocksOf(picture(width, height, box))];
        expect(changedBlocks(now, [before], { x: 0, y: 0, w: width, h: height })).toBeGreaterThan(0);
      }),
    );
  });
});
