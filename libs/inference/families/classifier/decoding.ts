import { z } from 'zod';
import type { FloatTensor } from '../../tensor.js';

/**
 * Meaning of a classifier's values: logits or shares of exclusive labels (`softmax`), logits of independent labels
 * (`sigmoid`), or scores of 0..1 (`scores`).
 */
export const ClassifierDecoding = z.enum(['softmax', 'sigmoid', 'scores']);
export type ClassifierDecoding = z.infer<typeof ClassifierDecoding>;

/** Largest deviation from 1 of a sum of shares in float32. */
export const TOLERANCE = 0.01;

/**
 * Returns the output with a value per label; some exports also return features. Throws RangeError where there is none.
 */
export function valuesOf(outputs: Readonly<Record<string, FloatTensor>>, labels: number): FloatTensor {
  const all = Object.values(outputs);
  const output = all.find(({ data }) => data.length === labels);
  if (output !== undefined) return output;
  throw new RangeError(`It gives ${all[0]?.data.length ?? 0} values for ${labels} labels; there must be one for each.`);
}

/** Converts a network's values to scores of 0..1. */
export function scoresOf(values: Float32Array, decoding: ClassifierDecoding): Float32Array {
  switch (decoding) {
    case 'softmax':
      return sharesOf(values);
    case 'sigmoid':
      return values.map((value) => 1 / (1 + Math.exp(-value)));
    case 'scores':
      return values.map((value) => Math.min(1, Math.max(0, value)));
  }
}

/** Returns values that are shares already, else their softmax. */
export function sharesOf(values: Float32Array): Float32Array {
  return isShares(values) ? values : softmax(values);
}

export function isShares(values: Float32Array): boolean {
  const sum = values.reduce((total, value) => total + value, 0);
  return Math.abs(sum - 1) < TOLERANCE && values.every((value) => value >= 0);
}

/** Softmax of logits. */
export function softmax(values: Float32Array): Float32Array {
  const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const powers = values.map((value) => Math.exp(value - highest));
  const total = powers.reduce((all, value) => all + value, 0);
  return powers.map((value) => value / total);
}
