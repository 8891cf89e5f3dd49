import { z } from 'zod';
import { floatTensor, type FloatTensor } from '../../tensor.js';
import { softmax } from '../classifier/decoding.js';

/**
 * Position of CTC's blank among the outputs (Graves et al., "Connectionist Temporal Classification", ICML 2006): the
 * first, as in PaddleOCR and EasyOCR, or the last, as in Keras and docTR.
 */
export const CtcDecoding = z.enum(['ctc', 'ctc-last']);
export type CtcDecoding = z.infer<typeof CtcDecoding>;

/**
 * Returns the text of each output of a text recogniser, '' for the blank, from a list of characters: adds the blank
 * where it is missing, and a space behind the characters where that is too, as in PaddleOCR's lists. A list of another
 * length is returned unchanged.
 */
export function alphabetOf(listed: string[], decoding: CtcDecoding, outputs: number | null): string[] {
  const isFirst = decoding === 'ctc';
  const missing = (outputs ?? listed.length + 1) - listed.length;
  if (missing === 0) return listed.map((each, index) => (index === blankOf(listed, decoding) ? '' : each));
  if (missing !== 1 && missing !== 2) return listed;
  const characters = missing === 1 ? listed : [...listed, ' '];
  return isFirst ? ['', ...characters] : [...characters, ''];
}

/** Returns the index of the blank's output. */
export function blankOf(characters: readonly string[], decoding: CtcDecoding): number {
  return decoding === 'ctc' ? 0 : characters.length - 1;
}

/** Largest sum of shares in float16. */
const MAX_SUM = 1.01;

/**
 * Returns steps, T×C, as shares of 1 each: unchanged when the first one adds up to 1, else the softmax of logits or
 * logarithms.
 */
export function likelihoodsOf(steps: FloatTensor): FloatTensor {
  const [count = 0, outputs = 0] = steps.dims;
  const step = (at: number): Float32Array => steps.data.subarray(at * outputs, (at + 1) * outputs);
  if (step(0).every((value) => value >= 0 && value <= MAX_SUM)) return steps;
  const shares = new Float32Array(count * outputs);
  for (let at = 0; at < count; at++) shares.set(softmax(step(at)), at * outputs);
  return floatTensor(shares, steps.dims);
}
