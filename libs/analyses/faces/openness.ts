import { elementAt } from '@adit/contracts';
import type { Point } from '@adit/inference';
import type { FaceMesh } from '../detection/facemesh.js';

/** Mesh points of an eye: its corners, and two pairs of upper and lower lid. */
const EYES = [
  {
    corners: [33, 133],
    lids: [
      [160, 144],
      [158, 153],
    ],
  },
  {
    corners: [263, 362],
    lids: [
      [387, 373],
      [385, 380],
    ],
  },
] as const;
/** Inner edge of the lips: its corners, and the middles. */
const MOUTH = { corners: [78, 308], lids: [[13, 14]] } as const;

/** Heights of openings as a fraction of their widths. */
export interface Openness {
  /** Average of both eyes: some 0.3 when they are open. */
  eyes: number;
  /** Inner edge of the lips: 0 when closed. */
  mouth: number;
}

/**
 * Measures how open eyes and mouth are: the eye aspect ratio (Soukupová and Čech, "Real-Time Eye Blink Detection using
 * Facial Landmarks", 2016), and the same for the lips.
 */
export function openness({ points }: Pick<FaceMesh, 'points'>): Openness {
  const [right, left] = EYES;
  return { eyes: (ratio(points, right) + ratio(points, left)) / 2, mouth: ratio(points, MOUTH) };
}

interface Opening {
  corners: readonly [number, number];
  lids: readonly (readonly [number, number])[];
}

function ratio(points: readonly Point[], { corners, lids }: Opening): number {
  const width = between(points, corners);
  if (width === 0) return 0;
  return lids.reduce((sum, pair) => sum + between(points, pair), 0) / lids.length / width;
}

function between(points: readonly Point[], [from, to]: readonly [number, number]): number {
  const [[x, y], [u, v]] = [elementAt(points, from), elementAt(points, to)];
  return Math.hypot(u - x, v - y);
}
