import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareObjects } from './compare.js';
import type { ObjectObservations } from './observations.js';

type Sighting = [label: string, score: number, x: number, w?: number];

/** Frames in which each of these was seen, in boxes 0.2 high. */
function seen(...frames: Sighting[][]): ObjectObservations {
  const tracks = frames.flatMap((sightings, frame) =>
    sightings.map(([label, score, x, w = 0.2]) => ({
      ...{ id: 0, label, face: null, thumbnail: null, keyFrame: null },
      sightings: [{ frame, time: frame / 2, score, box: { x, y: 0.4, w, h: 0.2 } }],
    })),
  );
  return { sampled: frames.map((_, frame) => ({ frame, time: frame / 2 })), tracks };
}

const labels = (one: ObjectObservations, other: ObjectObservations) =>
  Object.fromEntries(compareObjects(one, other).labels);

describe('the comparison of two detectors', () => {
  it('matches boxes of a label that overlap by half', () => {
    expect(labels(seen([['dog', 0.9, 0.1]]), seen([['dog', 0.8, 0.12]]))).toEqual({
      dog: { both: 1, stable: 0, candidate: 0 },
    });
    expect(labels(seen([['dog', 0.9, 0.1]]), seen([['dog', 0.8, 0.25]]))).toEqual({
      dog: { both: 0, stable: 1, candidate: 1 },
    });
    expect(labels(seen([['dog', 0.9, 0.1]]), seen([['cat', 0.9, 0.1]]))).toEqual({
      dog: { both: 0, stable: 1, candidate: 0 },
      cat: { both: 0, stable: 0, candidate: 1 },
    });
  });

  it('counts each object once', () => {
    expect(
      labels(
        seen([['dog', 0.9, 0.1]]),
        seen([
          ['dog', 0.8, 0.1],
          ['dog', 0.7, 0.12],
        ]),
      ),
    ).toEqual({
      dog: { both: 1, stable: 0, candidate: 1 },
    });
  });

  it('reports no difference where a score fluctuates around the threshold', () => {
    expect(labels(seen([['dog', 0.36, 0.1]]), seen([['dog', 0.3, 0.1]]))).toEqual({
      dog: { both: 1, stable: 0, candidate: 0 },
    });
    expect(labels(seen([['dog', 0.3, 0.1]]), seen([]))).toEqual({});
  });

  it('names the differing frames, by the scores of objects that one alone saw', () => {
    const one = seen([['dog', 0.9, 0.1]], [['dog', 0.9, 0.1]], []);
    const other = seen(
      [['dog', 0.9, 0.1]],
      [],
      [
        ['cat', 0.5, 0.1],
        ['bus', 0.6, 0.5],
      ],
    );
    const { pictures, differences } = compareObjects(one, other);
    expect(pictures).toBe(3);
    expect(differences.map(({ index, frame, time, difference }) => [index, frame, time, difference])).toEqual([
      [1, 1, 0.5, 0.9],
      [2, 2, 1, 1.1],
    ]);
    expect(differences[1]?.candidate.map(({ label }) => label)).toEqual(['cat', 'bus']);
  });

  it('is symmetric, and finds no difference with itself', () => {
    const sighting = fc.tuple(
      fc.constantFrom('dog', 'cat'),
      fc.double({ min: 0.2, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.8, noNaN: true }),
    );
    const frames = fc.array(fc.array(sighting, { maxLength: 4 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(frames, frames, (a, b) => {
        const [one, other] = [seen(...(a as Sighting[][])), seen(...(b as Sighting[][]))];
        const there = compareObjects(one, other);
        const back = compareObjects(other, one);
        const counts = (each: typeof there, mirrored: boolean) =>
          [...each.labels]
            .map(([label, { both, stable, candidate }]) => [
              label,
              both,
              ...(mirrored ? [candidate, stable] : [stable, candidate]),
            ])
            .sort();
        expect(counts(back, true)).toEqual(counts(there, false));
        expect(compareObjects(one, one).differences).toEqual([]);
      }),
    );
  });
});
