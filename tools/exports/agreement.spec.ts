import { describe, expect, it } from '@jest/globals';
import { agreement, agrees as agreesBy } from './agreement.mjs';

const SIZES = [{ width: 100, height: 100 }];
const BAR = { overlap: 0.98, difference: 0.01 };
const box = (label: string, score: number, ...corners: number[]) => ({ label, score, box: corners });
const agrees = (result: ReturnType<typeof agreement>, bar: typeof BAR) => result !== null && agreesBy(result, bar);
const compared = (theirs: object[], ours: object[]) => agreement({ boxes: [theirs] }, [{ boxes: ours }], SIZES);

describe('boxes of an exporter and of Adit', () => {
  it('agree where they are the same but for the part beyond the picture', () => {
    const result = compared([box('cat', 0.9, -20, 10, 50, 60)], [box('cat', 0.895, 0, 10, 50, 60)]);
    expect(result).toMatchObject({ compared: 1, overlap: 1, missed: 0 });
    expect(agrees(result, BAR)).toBe(true);
  });

  it('differ by place, by score, by label, and by number', () => {
    const cat = box('cat', 0.9, 10, 10, 50, 60);
    for (const other of [
      [box('cat', 0.9, 10, 10, 52, 60)],
      [box('cat', 0.88, 10, 10, 50, 60)],
      [box('dog', 0.9, 10, 10, 50, 60)],
      [cat, box('cat', 0.4, 60, 60, 90, 90)],
      [],
    ])
      expect([other, agrees(compared([cat], other), BAR)]).toEqual([other, false]);
  });

  it('of which one is at the edge of being sure may be missing, and a sliver that jobs leave out', () => {
    const cat = box('cat', 0.9, 10, 10, 50, 60);
    const theirs = [cat, box('cat', 0.29, 60, 60, 90, 90), box('cat', 0.9, 99.8, 0, 120, 50)];
    expect(agrees(compared(theirs, [cat]), BAR)).toBe(true);
  });

  it('of which one takes the place of another that suppression left out have no counterpart', () => {
    const cat = box('cat', 0.9, 0, 0, 50, 50);
    for (const other of [box('cat', 0.9, 0, 0, 50, 80), box('cat', 0.5, 0, 0, 50, 50)])
      expect(compared([cat], [other])).toMatchObject({ compared: 0, missed: 2, overlap: 1, difference: 0 });
  });

  it('of a crowd are those of which neither side left one out', () => {
    // A hundred side by side, and one more that the exporter says and jobs do not: it lies half over another that is as unsure.
    const crowd = Array.from({ length: 100 }, (_, at) => box('cat', 0.9 - at / 200, at, 0, at + 1, 10));
    const [last, extra] = [crowd.at(-1)!, box('cat', 0.404, 99, 0, 100, 6)];
    const swapped = [...crowd.slice(0, -1), extra];
    expect(agrees(compared([...crowd, extra], crowd), BAR)).toBe(true);
    expect(agrees(compared([...crowd, extra], swapped), BAR)).toBe(true);
    expect(agrees(compared([...crowd.slice(0, -1), extra], crowd), BAR)).toBe(true);
    expect(last.score).toBeLessThan(0.41);
    for (const missing of [0, 50]) {
      const rest = [...crowd.filter((_, at) => at !== missing), extra];
      expect([missing, agrees(compared(crowd, rest), BAR)]).toEqual([missing, false]);
      expect([missing, agrees(compared(rest, crowd), BAR)]).toEqual([missing, false]);
    }
  });
});

describe('probabilities and embeddings', () => {
  it('are compared number by number', () => {
    const scores = (...values: number[]) => agreement({ scores: [[0.2, 0.8]] }, [{ scores: values }], SIZES);
    expect(agrees(scores(0.205, 0.795), BAR)).toBe(true);
    expect(agrees(scores(0.22, 0.78), BAR)).toBe(false);
    expect(agrees(scores(0.2, 0.8, 0), BAR)).toBe(false);
    const embedding = (...values: number[]) => agreement({ embeddings: [[3, 4]] }, [{ embedding: values }], SIZES);
    expect(agrees(embedding(0.6, 0.8), BAR)).toBe(true);
    expect(agrees(embedding(0.8, 0.6), BAR)).toBe(false);
  });
});
