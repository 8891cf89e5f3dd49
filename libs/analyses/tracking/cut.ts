import { zip } from '@adit/contracts';
import type { RgbImage } from '@adit/inference';

const { abs, floor } = Math;
const GRID = 8;
const SAMPLES = 8;
/** Mean difference of a frame's cells, of 255, above which two samples do not belong to one shot. */
const CUT = 24;

/** Mean colours of an 8×8 grid, 192 values: enough to tell one shot from another. */
export function frameSignature(picture: RgbImage): Float32Array {
  const { data, width, height } = picture;
  const cells = new Float32Array(GRID * GRID * 3);
  for (let row = 0; row < GRID * SAMPLES; row++) {
    const y = floor(((row + 0.5) * height) / (GRID * SAMPLES));
    for (let column = 0; column < GRID * SAMPLES; column++) {
      const at = (y * width + floor(((column + 0.5) * width) / (GRID * SAMPLES))) * 3;
      const cell = (floor(row / SAMPLES) * GRID + floor(column / SAMPLES)) * 3;
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- 12 288 reads of every sampled frame, all within it
      for (let channel = 0; channel < 3; channel++) cells[cell + channel]! += data[at + channel]!;
    }
  }
  return cells.map((sum) => sum / SAMPLES ** 2);
}

/** Whether the film was probably cut between two frames. Wrong alarms cost little: equal faces are joined again. */
export function isCut(before: Float32Array, after: Float32Array): boolean {
  let sum = 0;
  for (const [earlier, later] of zip(before, after)) sum += abs(earlier - later);
  return sum / before.length > CUT;
}
