import type { PixelBox } from '@adit/inference';
import type { Sighting } from '../faces/sighting.js';

/** A detected face, its box in pixels, without examined eyes. */
export function foundFace(frame: { width: number; height: number }, { x, y, w, h }: PixelBox, index = 0): Sighting {
  const { width, height } = frame;
  return {
    ...{ index, time: index / 2, score: 0.8, proposed: 0.8, x: x / width, y: y / height, w: w / width, h: h / height },
    points: [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    appearance: new Float32Array(0),
  };
}
