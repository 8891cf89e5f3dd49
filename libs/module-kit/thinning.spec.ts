import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { appendMark, emptyMarks, fitBudget, joinMarks } from './thinning.js';
import type { Thinned } from './thinning.js';

function marksOf(from: number, count: number, limit = 1000): Thinned {
  const marks = emptyMarks();
  for (let frame = from; frame < from + count; frame += 1) appendMark(marks, [frame, frame % 7], limit);
  return marks;
}

describe('thinning', () => {
  it('keeps everything up to the limit', () => {
    expect(marksOf(0, 1000).kept.map(([frame]) => frame)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it('keeps between half the limit and the limit, evenly, however many come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 2, max: 1000 }), (count, limit) => {
        const { kept, stride } = marksOf(0, count, limit);
        expect(kept.length).toBeLessThanOrEqual(limit);
        if (count > limit) expect(kept.length).toBeGreaterThanOrEqual(Math.floor(limit / 2));
        kept.forEach(([frame], index) => expect(frame).toBe(index * stride));
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the marks of one frame together, unless a single frame exceeds the limit', () => {
    const marks = emptyMarks();
    for (let frame = 0; frame < 100; frame += 1) for (let n = 0; n < 3; n += 1) appendMark(marks, [frame, n], 60);
    const frames = marks.kept.map(([frame]) => frame);
    for (const frame of new Set(frames)) expect(frames.filter((other) => other === frame)).toHaveLength(3);

    const crowd = emptyMarks();
    for (let n = 0; n < 100; n += 1) appendMark(crowd, [5, n], 60);
    expect(crowd.kept).toHaveLength(60);
  });

  it('joins two intervals at their common stride without changing them', () => {
    const [a, b] = [marksOf(0, 3000), marksOf(5000, 100)];
    const before = structuredClone([a, b]);
    const joined = joinMarks(a, b, 1000);
    expect([a, b]).toEqual(before);
    expect(joined.stride).toBe(4);
    expect(joined.seen).toBe(3100);
    expect(joined.kept.slice(-2).map(([frame]) => frame)).toEqual([5092, 5096]);
    expect(joinMarks(marksOf(0, 900), marksOf(2000, 900), 1000).kept.length).toBeLessThanOrEqual(1000);
  });

  it('fits many together into a budget, thinning the fullest', () => {
    const all = [marksOf(0, 800), marksOf(0, 10), marksOf(0, 400)];
    fitBudget(all, 500);
    expect(all.map(({ kept }) => kept.length)).toEqual([200, 10, 200]);
  });
});
