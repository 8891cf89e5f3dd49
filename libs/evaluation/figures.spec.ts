import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FoundBox, TrueBox } from './average-precision.js';
import { classifierFigures, detectorFigures, type Answer } from './figures.js';

const truth = (label: string, x: number): TrueBox => ({ label, box: { x, y: 0, w: 0.1, h: 0.1 }, isCrowd: false });
const found = (label: string, x: number, score: number): FoundBox => ({
  label,
  score,
  box: { x, y: 0, w: 0.1, h: 0.1 },
});

describe('the figures of a detector', () => {
  // Two cats, one of which is called a dog; a dog that is found with a low score; a false cat.
  const pictures = [
    { truth: [truth('cat', 0), truth('cat', 0.3)], found: [found('cat', 0, 0.9), found('dog', 0.31, 0.8)] },
    { truth: [truth('dog', 0.5)], found: [found('dog', 0.5, 0.4), found('cat', 0.8, 0.6)] },
  ];

  it('count right boxes at the threshold, and give the one with the highest F1', () => {
    const { at, best, curve, ...figures } = detectorFigures(pictures, 0.5);
    expect(at).toEqual({ threshold: 0.5, precision: 1 / 3, recall: 1 / 3, f1: 1 / 3 });
    // At 0.4 two of four are right, of three.
    expect(best).toEqual({ threshold: 0, precision: 2 / 4, recall: 2 / 3, f1: expect.closeTo(4 / 7, 12) });
    expect(curve).toHaveLength(101);
    expect(curve[85]).toEqual({ threshold: 0.85, precision: 1, recall: 1 / 3, f1: 0.5 });
    expect(curve[100]).toEqual({ threshold: 1, precision: null, recall: 0, f1: null });
    // Cats: 0.9 is right, 0.6 is wrong, one of two is found. Dogs: 0.8 is wrong, 0.4 is right.
    const [cat, dog] = [51 / 101, 0.5];
    expect(figures).toEqual({
      ...{ pictures: 2, labelled: 3, accuracy: null },
      map50: expect.closeTo((cat + dog) / 2, 12),
      // All of them lie exactly where they were labelled.
      map: expect.closeTo((cat + dog) / 2, 12),
      labels: [
        { label: 'cat', labelled: 2, precision: 0.5, recall: 0.5, ap50: expect.closeTo(cat), ap: expect.closeTo(cat) },
        { label: 'dog', labelled: 1, precision: 0, recall: 0, ap50: dog, ap: expect.closeTo(dog) },
      ],
      confusions: [{ label: 'cat', said: 'dog', count: 1 }],
    });
  });

  it('report no confusion for objects that were also found correctly', () => {
    const both = [{ truth: [truth('cat', 0)], found: [found('cat', 0, 0.7), found('dog', 0, 0.9)] }];
    expect(detectorFigures(both, 0.5).confusions).toEqual([]);
    expect(detectorFigures(both, 0.8).confusions).toEqual([{ label: 'cat', said: 'dog', count: 1 }]);
  });
});

describe('the figures of a classifier', () => {
  const answer = (label: string, said: string | null, score = 0.9): Answer => ({
    label,
    said: said === null ? null : { label: said, score },
  });

  it('equal those counted by hand', () => {
    const answers = [
      ...[answer('cat', 'cat'), answer('cat', 'cat', 0.3), answer('cat', 'dog'), answer('cat', 'dog', 0.6)],
      ...[answer('dog', 'dog'), answer('dog', null), answer('dog', 'fox', 0.7)],
    ];
    const { curve, best, ...figures } = classifierFigures(answers, 0.5);
    expect(figures).toEqual({
      ...{ pictures: 7, labelled: 7, map50: null, map: null, accuracy: 3 / 7 },
      at: { threshold: 0.5, precision: 2 / 5, recall: 2 / 7, f1: expect.closeTo(1 / 3, 12) },
      labels: [
        { label: 'cat', labelled: 4, precision: 1, recall: 1 / 4, ap50: null, ap: null },
        { label: 'dog', labelled: 3, precision: 1 / 3, recall: 1 / 3, ap50: null, ap: null },
        { label: 'fox', labelled: 0, precision: 0, recall: null, ap50: null, ap: null },
      ],
      confusions: [
        { label: 'cat', said: 'dog', count: 2 },
        { label: 'dog', said: 'fox', count: 1 },
      ],
    });
    expect(best).toMatchObject({ threshold: 0, recall: 3 / 7, precision: 3 / 6 });
    expect(curve[0]).toEqual(best);
  });

  it('never gain recall as the threshold rises', () => {
    const label = fc.constantFrom('a', 'b', 'c');
    const said = fc.option(fc.record({ label, score: fc.double({ min: 0, max: 1, noNaN: true }) }));
    fc.assert(
      fc.property(fc.array(fc.record({ label, said }), { minLength: 1 }), (answers) => {
        const { curve, accuracy, labels, confusions } = classifierFigures(answers, 0);
        for (const [at, { recall, f1 }] of curve.entries()) {
          expect(recall).toBeLessThanOrEqual(curve[at - 1]?.recall ?? 1);
          if (f1 !== null) expect(f1).toBeLessThanOrEqual(1);
        }
        expect(curve[0]?.recall).toBe(accuracy);
        expect(labels.reduce((sum, { labelled }) => sum + labelled, 0)).toBe(answers.length);
        const wrong = answers.filter((one) => one.said !== null && one.said?.label !== one.label).length;
        expect(confusions.reduce((sum, { count }) => sum + count, 0)).toBe(wrong);
      }),
    );
  });
});
