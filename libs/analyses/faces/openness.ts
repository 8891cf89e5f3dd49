import { elementAt } from '@adit/contracts';
import type { Point } from '@adit/inference';
import type { FaceMesh } from '../detection/facemesh.js';

/** Points of an eye in the mesh: its corners, and two pairs of the upper and the lower lid. */
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
/** The inner edge of the lips: its corners, and the middles. */
const MOUTH = { corners: [78, 308], lids: [[13, 14]] } as const;

/** How high openings are, of their width. */
export interface Openness {
  /** Of both eyes, on average: some 0.3 when they are open. */
  eyes: number;
  /** Of the lips' inner edge: 0 when they are closed. */
  mouth: number;
}

/**
 * How open eyes and mouth are: the eye aspect ratio (Soukupová and Čech, "Real-Time Eye Blink Detection using Facial Landmarks",
 * 2016), and the same of the lips.
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
