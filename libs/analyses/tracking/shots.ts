import { elementAt, zip } from '@adit/contracts';
import type { RgbImage } from '@adit/inference';

const GRID = 8;
/** Pixels read per cell, in each direction. */
const SAMPLES = 8;
/**
 * Mean brightness difference of two frames, of 255 and at equal contrast, below which they are of one shot however
 * still the film is.
 */
const MIN_CHANGE = 8;
/** A cut changes the picture this many times as much as the film's own motion around it. */
const ABOVE_MOTION = 3;
/** Samples to each side in which the film's own motion is measured. */
const AROUND = 4;
/** 1 − correlation of the cells' brightness, below which the picture is the same, possibly lighter or darker. */
const OTHER_STRUCTURE = 0.25;
/** Standard deviation of the cells' brightness, of 255, below which a frame is blank: black, white, a flash. */
const BLANK = 6;

/** Mean colours of an 8×8 grid, 192 values: enough to tell shots apart. */
export function frameSignature({ data, width, height }: RgbImage): Float32Array {
  const cells = new Float32Array(GRID * GRID * 3);
  for (let row = 0; row < GRID * SAMPLES; row++) {
    const y = Math.floor(((row + 0.5) * height) / (GRID * SAMPLES));
    for (let column = 0; column < GRID * SAMPLES; column++) {
      const at = (y * width + Math.floor(((column + 0.5) * width) / (GRID * SAMPLES))) * 3;
      const cell = (Math.floor(row / SAMPLES) * GRID + Math.floor(column / SAMPLES)) * 3;
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- 12 288 reads of every sampled frame, all within it
      for (let channel = 0; channel < 3; channel++) cells[cell + channel]! += data[at + channel]!;
    }
  }
  return cells.map((sum) => sum / SAMPLES ** 2);
}

/**
 * Detects a cut between each sampled frame (`frameSignature`) and the one before; the first has none. A cut changes the
 * picture much more than the film's motion there, and its structure, not only its brightness, so pans, flashes and
 * fades to black and back are no cuts. Cuts on an unmoved background change too little: there, the faces' appearances
 * and embeddings decide (README.md of the analysis faces).
 */
export function cutsBetween(signatures: readonly Float32Array[]): boolean[] {
  const frames = signatures.map(structureOf);
  // Each frame is compared with the last one that was not blank.
  let before: (typeof frames)[number] | null = null;
  const changes = frames.map((frame) => {
    const earlier = before;
    if (frame.deviation < BLANK) return null;
    before = frame;
    if (earlier === null) return null;
    const contrast = Math.max(earlier.deviation, frame.deviation) * Math.sqrt(frame.shape.length);
    return {
      amount: contrast * meanDifference(earlier.shape, frame.shape),
      structure: 1 - dot(earlier.shape, frame.shape),
    };
  });
  return changes.map((change, at) => {
    if (change === null || change.structure < OTHER_STRUCTURE) return false;
    const around = changes.slice(Math.max(0, at - AROUND), at + AROUND + 1).filter((other) => other !== change);
    const motion = median(around.flatMap((other) => (other === null ? [] : [other.amount])));
    return change.amount >= Math.max(MIN_CHANGE, ABOVE_MOTION * motion);
  });
}

/** Tests whether two frames (`frameSignature`) show the same place, possibly lighter or darker; a blank one is like none. */
export function areAlike(a: Float32Array, b: Float32Array): boolean {
  const [one, other] = [structureOf(a), structureOf(b)];
  return Math.min(one.deviation, other.deviation) >= BLANK && 1 - dot(one.shape, other.shape) < OTHER_STRUCTURE;
}

/** Returns the cells' brightness minus its mean, of length 1, and its deviation. */
function structureOf(cells: Float32Array): { shape: Float32Array; deviation: number } {
  const luma = Float32Array.from({ length: cells.length / 3 }, (_, cell) => {
    const [r, g, b] = [elementAt(cells, 3 * cell), elementAt(cells, 3 * cell + 1), elementAt(cells, 3 * cell + 2)];
    return 0.299 * r + 0.587 * g + 0.114 * b;
  });
  return standardised(luma);
}

/** Returns values minus their mean, scaled to length 1, and their standard deviation; all zeros for equal values. */
export function standardised(values: Float32Array): { shape: Float32Array; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
  const shape = values.map((value) => (length === 0 ? 0 : (value - mean) / length));
  return { shape, deviation: length / Math.sqrt(values.length) };
}

/** Returns the correlation of two shapes of length 1, −1..1. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [one, other] of zip(a, b)) sum += one * other;
  return sum;
}

function meanDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [one, other] of zip(a, b)) sum += Math.abs(one - other);
  return sum / a.length;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? 0 : elementAt(sorted, Math.floor(sorted.length / 2));
}
