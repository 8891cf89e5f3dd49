import type { RgbImage } from '@adit/inference';
import { z } from 'zod';

/** A picture of one of six patterns in two colours. */
export const Patterned = z.object({ width: z.int(), height: z.int(), seed: z.int() });
export type Patterned = z.infer<typeof Patterned>;

/** Draws like `picture` of the classifiers' golden/record.py. */
export function patterned({ width, height, seed }: Patterned): RgbImage {
  const data = new Uint8Array(width * height * 3);
  const step = 6 + (seed % 5);
  const dot = Math.floor(step / 2) + 1;
  const row = (at: number): number => Math.floor(at / step);
  const marks = [
    () => 0,
    (_: number, y: number) => row(y) % 2,
    (x: number) => row(x) % 2,
    (x: number, y: number) => (row(x) + row(y)) % 2,
    (x: number, y: number) => Number(y % (2 * step) < dot && x % (2 * step) < dot),
    (x: number, y: number) => ((x * x * 7 + y * y * 13 + x * y * 5 + seed) % 11) % 2,
  ];
  const mark = marks[seed % marks.length]!;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = mark(x, y) === 1;
      for (let c = 0; c < 3; c++)
        data[at++] = light ? ((seed * 31 + c * 97) % 80) + 170 : ((seed * 53 + c * 71) % 70) + 20;
    }
  }
  return { width, height, data };
}
