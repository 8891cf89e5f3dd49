import { describe, expect, it } from '@jest/globals';
import { apartIn, type Shown } from './shown-apart.js';

const shown = (number: number, frameStart: number, frameEnd: number, more: Partial<Shown> = {}): Shown => ({
  number,
  frameStart,
  frameEnd,
  moduleId: 'faces',
  sourceIndex: 0,
  ...more,
});
const pairs = (areApart: (one: number, other: number) => boolean, most = 4) =>
  Array.from({ length: most * most }, (_, at) => [1 + Math.floor(at / most), 1 + (at % most)] as const)
    .filter(([one, other]) => one < other && areApart(one, other))
    .map((pair) => pair.join(' '));

describe('identities told apart', () => {
  it('are those of one frame, whichever came first', () => {
    const areApart = apartIn([shown(2, 5, 9), shown(1, 0, 5), shown(3, 10, 12), shown(4, 0, 20)], []);
    expect(pairs(areApart)).toEqual(['1 2', '1 4', '2 4', '3 4']);
    expect([areApart(2, 1), areApart(1, 1)]).toEqual([true, false]);
  });

  it('are not those of other sources, or of another module', () => {
    const here = shown(1, 0, 9);
    expect(
      pairs(apartIn([here, shown(2, 0, 9, { sourceIndex: 1 }), shown(3, 0, 9, { moduleId: 'others' })], [])),
    ).toEqual([]);
  });

  it('are those that one summary names, and no identity is apart from itself', () => {
    const areApart = apartIn([shown(1, 0, 9), shown(1, 3, 4)], [[4, 2, 3], [1]]);
    expect(pairs(areApart)).toEqual(['2 3', '2 4', '3 4']);
    expect(areApart(1, 1)).toBe(false);
  });
});
