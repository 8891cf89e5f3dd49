import { describe, expect, it } from '@jest/globals';
import type { DetectedFace } from '../detection/detect-faces.js';
import { expectedFaces, personAround } from './expected-faces.js';

const face = (x: number, y = 0.2, proposed = 0.9): DetectedFace => ({
  ...{ x, y, w: 0.2, h: 0.2, score: proposed, proposed },
  points: [
    [x, y],
    [x + 0.1, y],
    [x, y],
    [x, y],
    [x, y],
    [x, y],
  ],
});
const at = (time: number, ...sightings: DetectedFace[]) => ({ time, sightings });

describe('expectedFaces', () => {
  it('moves each face evenly, with the lower score', () => {
    const near = expectedFaces(at(10, face(0.1), face(0.6, 0.2, 0.7)), at(12, face(0.64), face(0.14)), 10.5);
    expect(near?.map(({ x, y, w, proposed }) => [x, y, w, proposed])).toEqual([
      [expect.closeTo(0.11), 0.2, 0.2, 0.9],
      [expect.closeTo(0.61), 0.2, 0.2, 0.7],
    ]);
    expect(near?.[0]?.points[1]).toEqual([expect.closeTo(0.21), 0.2]);
  });

  it('knows nothing where a face comes or goes, or two are too far apart to be one', () => {
    expect(expectedFaces(at(0, face(0.1)), at(2), 1)).toBeNull();
    expect(expectedFaces(at(0), at(2, face(0.1)), 1)).toBeNull();
    expect(expectedFaces(at(0, face(0.1)), at(2, face(0.7)), 1)).toBeNull();
  });

  it('expects none where both show none', () => expect(expectedFaces(at(0), at(2), 1)).toEqual([]));

  it('takes each face of the later sample once', () => {
    expect(expectedFaces(at(0, face(0.1), face(0.12)), at(2, face(0.11), face(0.8)), 1)).toBeNull();
  });
});

describe('personAround', () => {
  it('is the head and the body below it', () => {
    expect(personAround({ x: 10, y: 10, w: 4, h: 6 })).toEqual({ x: 6, y: 7, w: 12, h: 33 });
  });
});
