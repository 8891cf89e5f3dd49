import { elementAt } from '@adit/contracts';
import { overlap, type PixelBox } from '@adit/inference';
import { mapPoints } from '../detection/blazeface.js';
import type { DetectedFace } from '../detection/detect-faces.js';

/** Intersection over union from which two samples show the same face. */
const MIN_OVERLAP = 0.3;

interface Sample {
  /** Seconds from the source's first frame. */
  time: number;
  sightings: readonly DetectedFace[];
}

/**
 * Returns where the faces of two samples are at a time between them, in fractions of the picture, as if they moved evenly;
 * null where the samples do not show the same faces.
 */
export function expectedFaces(before: Sample, after: Sample, time: number): DetectedFace[] | null {
  if (before.sightings.length !== after.sightings.length) return null;
  const share = (time - before.time) / (after.time - before.time);
  const left = new Set(after.sightings);
  const expected: DetectedFace[] = [];
  for (const face of before.sightings) {
    const other = nearest(face, [...left]);
    if (other === null) return null;
    left.delete(other);
    expected.push(between(face, other, share));
  }
  return expected;
}

/**
 * Returns the place of a person by their face, in the unit of the box: what moves there is no other face. Three faces wide
 * and five and a half high, with the face half of its height below the top.
 */
export function personAround({ x, y, w, h }: PixelBox): PixelBox {
  return { x: x - w, y: y - h / 2, w: 3 * w, h: 5.5 * h };
}

function nearest(face: DetectedFace, others: readonly DetectedFace[]): DetectedFace | null {
  let best: DetectedFace | null = null;
  for (const other of others) {
    if (overlap(face, other) < MIN_OVERLAP) continue;
    if (best === null || overlap(face, other) > overlap(face, best)) best = other;
  }
  return best;
}

function between(a: DetectedFace, b: DetectedFace, share: number): DetectedFace {
  const mixed = (one: number, other: number): number => one + share * (other - one);
  return {
    ...{ x: mixed(a.x, b.x), y: mixed(a.y, b.y), w: mixed(a.w, b.w), h: mixed(a.h, b.h) },
    ...{ score: Math.min(a.score, b.score), proposed: Math.min(a.proposed, b.proposed) },
    points: mapPoints(a.points, ([x, y], index) => {
      const [otherX, otherY] = elementAt(b.points, index);
      return [mixed(x, otherX), mixed(y, otherY)];
    }),
  };
}
