import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  averagePrecision,
  judge,
  MAX_FOUND,
  meanAveragePrecision,
  OVERLAPS,
  type FoundBox,
  type Judged,
  type JudgedPicture,
  type TrueBox,
} from './average-precision.js';

const truth = (x: number, label = 'a', isCrowd = false): TrueBox => ({
  label,
  box: { x, y: 0, w: 0.1, h: 0.1 },
  isCrowd,
});
const found = (x: number, score: number, label = 'a'): FoundBox => ({ label, score, box: { x, y: 0, w: 0.1, h: 0.1 } });
const said = (...right: boolean[]): Judged[] => right.map((isRight, at) => ({ isRight, score: 1 - at / 100 }));

/** Reference: precision and recall at every threshold, and for each recall the best precision that has it. */
function byDefinition(judged: readonly Judged[], labelled: number): number {
  const points = [...new Set(judged.map(({ score }) => score))].map((threshold) => {
    const sure = judged.filter(({ score }) => score >= threshold);
    const right = sure.filter(({ isRight }) => isRight).length;
    return { precision: right / sure.length, right };
  });
  const best = Array.from({ length: 101 }, (_, step) =>
    Math.max(0, ...points.filter(({ right }) => right * 100 >= step * labelled).map(({ precision }) => precision)),
  );
  return best.reduce((sum, value) => sum + value, 0) / 101;
}

describe('average precision', () => {
  it('is 1 for all right, 0 for all wrong, and null without labelled objects', () => {
    expect(averagePrecision(said(true, true), 2)).toBe(1);
    expect(averagePrecision(said(false, false), 2)).toBe(0);
    expect(averagePrecision([], 3)).toBe(0);
    expect(averagePrecision(said(false), 0)).toBeNull();
  });

  it('is the mean over 101 recalls of the best precision from there on, computed by hand', () => {
    // One of two objects is found: recalls of 0 to 0.5 have the precision 1, those above have 0.
    expect(averagePrecision(said(true), 2)).toBeCloseTo(51 / 101, 12);
    // Right, wrong, right: up to 0.5 it is 1, above 2 of 3.
    expect(averagePrecision(said(true, false, true), 2)).toBeCloseTo((51 + 50 * (2 / 3)) / 101, 12);
    // Wrong, right, right: 2 of 3 at all recalls, as later ones are better.
    expect(averagePrecision(said(false, true, true), 2)).toBeCloseTo(2 / 3, 12);
    // The usual example of ten found and five labelled: at 0.2 1, 0.4 1, 0.6 4 of 7, 0.8 4 of 7, 1 5 of 10.
    const ten = said(true, true, false, false, false, true, true, false, false, true);
    expect(averagePrecision(ten, 5)).toBeCloseTo((41 * 1 + 40 * (4 / 7) + 20 * (5 / 10)) / 101, 12);
  });

  it('equals its definition for any findings', () => {
    const one = fc.record({ isRight: fc.boolean(), score: fc.integer({ min: 0, max: 1_000_000 }) });
    fc.assert(
      fc.property(
        fc.uniqueArray(one, { selector: ({ score }) => score }),
        fc.integer({ min: 1, max: 120 }),
        (judged, more) => {
          const labelled = judged.filter(({ isRight }) => isRight).length + more - 1;
          if (labelled === 0) return;
          const value = averagePrecision(judged, labelled) ?? NaN;
          expect(value).toBeCloseTo(byDefinition(judged, labelled), 9);
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          // A surest right finding never lowers it, and a surest wrong one never raises it.
          const first = (isRight: boolean) =>
            averagePrecision([...judged, { isRight, score: 2_000_000 }], labelled + Number(isRight));
          expect(first(true)).toBeGreaterThanOrEqual(value - 1e-9);
          expect(first(false)).toBeLessThanOrEqual(value + 1e-9);
        },
      ),
    );
  });
});

describe('matching of findings', () => {
  it('assigns the labelled object with the largest overlap, each once, the surest first', () => {
    const things = [truth(0), truth(0.04)];
    const judged = judge(things, [found(0.03, 0.8), found(0.035, 0.9), found(0.5, 0.7)], 0.5);
    expect(judged.map(({ score, isRight, truth: one }) => [score, isRight, one?.box.x ?? null])).toEqual([
      [0.9, true, 0.04],
      // It overlaps 7 of the remaining 13.
      [0.8, true, 0],
      [0.7, false, null],
    ]);
    expect(judge(things, [found(0.03, 0.8), found(0.035, 0.9)], 0.55).map(({ isRight }) => isRight)).toEqual([
      true,
      false,
    ]);
  });

  it('accepts an overlap exactly at the limit', () => {
    // Half of two boxes of the same height: 1 of 2.
    const half = { label: 'a', score: 1, box: { x: 0, y: 0, w: 0.05, h: 0.1 } };
    expect(judge([truth(0)], [half], 0.5).map(({ isRight }) => isRight)).toEqual([true]);
  });

  it('ignores findings in a crowd, which takes any number, after separate objects', () => {
    const crowd: TrueBox = { label: 'a', box: { x: 0.5, y: 0, w: 0.5, h: 0.5 }, isCrowd: true };
    const inside = [found(0.6, 0.9), found(0.7, 0.8), found(0.61, 0.7)];
    expect(judge([crowd, truth(0.6)], inside, 0.5).map(({ isRight }) => isRight)).toEqual([true, null, null]);
    expect(averagePrecision(judge([crowd, truth(0.6)], inside, 0.5), 1)).toBe(1);
  });

  it('is limited per picture', () => {
    expect(
      judge(
        [],
        Array.from({ length: 150 }, (_, at) => found(0, at / 150)),
        0.5,
      ),
    ).toHaveLength(MAX_FOUND);
  });
});

describe('mean average precision', () => {
  it('averages over overlaps and over the labels with labelled objects', () => {
    // Nine tenths of the height: an overlap of 0.9, which nine of ten limits accept; nothing of b is found; c was not
    // labelled.
    const low = { label: 'a', score: 0.9, box: { x: 0, y: 0, w: 0.1, h: 0.09 } };
    const pictures: JudgedPicture[] = [
      { truth: [truth(0), truth(0.5, 'b')], found: [low, found(0.8, 0.99, 'c')] },
      { truth: [], found: [] },
    ];
    const { map50, map, labels } = meanAveragePrecision(pictures);
    expect(OVERLAPS).toEqual([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    expect([map50, map]).toEqual([0.5, expect.closeTo(0.45, 12)]);
    expect(labels.get('a')).toEqual({ ap50: 1, ap: expect.closeTo(0.9, 12) });
    expect(labels.get('b')).toEqual({ ap50: 0, ap: 0 });
    expect(labels.get('c')).toEqual({ ap50: null, ap: null });
    expect(meanAveragePrecision([])).toMatchObject({ map50: null, map: null });
  });

  it('ranks findings in all pictures together', () => {
    const right = { truth: [truth(0)], found: [found(0, 0.6)] };
    const wrong = { truth: [truth(0)], found: [found(0.5, 0.9)] };
    expect(meanAveragePrecision([right, wrong]).map50).toBeCloseTo((51 * 0.5) / 101, 12);
  });
});
