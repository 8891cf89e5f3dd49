import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeObjects } from './index.js';
import { MAX_COMPARED, SurestBoxes } from './surest-boxes.js';
import { SHAPE, GRID, ROWS, centred, shares, table, transposed } from './testing/written-outputs.js';

describe('a network with meaningless scores', () => {
  it('has only its surest boxes compared', () => {
    // Cells of four classes, none of which overlaps another.
    const everywhere = [0, 1, 2, 3].flatMap((kind) =>
      GRID.map(({ x, y, stride }, row) => ({
        ...{ x: x * stride, y: y * stride, w: stride, h: stride, kind },
        score: 0.3 + (row % 50) / 100,
      })),
    );
    const rows = everywhere.map((object) => [...centred(object, 0), ...shares(object.kind, object.score)]);
    const found = decodeObjects('yolov8', { output0: transposed(table(rows, 8, 4 * ROWS)) }, SHAPE, 0.2);
    expect(4 * ROWS).toBeGreaterThan(MAX_COMPARED);
    expect(found).toHaveLength(MAX_COMPARED);
    expect(found.at(-1)?.score).toBeGreaterThan(0.35);
  });
});

describe('the surest boxes of many', () => {
  const some = fc.oneof(
    // Few distinct values, so that there are many ties.
    fc.integer({ min: 0, max: 3 }).map((step) => () => step / 4),
    fc.integer({ min: 1, max: 9 }).map((levels) => (at: number) => ((at * 7919) % levels) / levels),
    fc.constant((at: number) => at / 1e6),
    fc.constant((at: number) => 1 - at / 1e6),
    fc.constant((at: number) => (at % 3 === 0 ? NaN : ((at * 48271) % 65537) / 65537)),
  );
  const count = fc.oneof(fc.nat(9), fc.integer({ min: MAX_COMPARED - 1, max: 12 * MAX_COMPARED }));

  it('equal the start of a full sort, in the same order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(some, count), { minLength: 1, maxLength: 3 }), (parts) => {
        const scores = parts.flatMap(([scoreOf, length]) => Array.from({ length }, (_, at) => scoreOf(at)));
        const boxes = new SurestBoxes(0.2);
        for (const [place, score] of scores.entries()) boxes.offer(score, place);
        let made = 0;
        const found = boxes.read((place, score) => {
          made++;
          return { kind: place, score, x: 0, y: 0, w: 1, h: 1 };
        });
        const all = scores.map((score, place): [number, number] => [place, score]).filter(([, score]) => score >= 0.2);
        const surest = all.length <= MAX_COMPARED ? all : all.sort(([, a], [, b]) => b - a).slice(0, MAX_COMPARED);
        expect(found.map(({ kind, score }) => [kind, score])).toEqual(surest);
        expect(made).toBe(surest.length);
      }),
      { numRuns: 40 },
    );
  });
});
