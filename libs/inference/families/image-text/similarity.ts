import { AditError, type Similarity, zip } from '@adit/contracts';
import { z } from 'zod';
import type { FloatTensor } from '../../tensor.js';
import { scoresOf, softmax } from '../classifier/decoding.js';

/** Meaning of the logits: of one right word among all (`clip`), or of each word independently (`siglip`). */
export const ImageTextDecoding = z.enum(['clip', 'siglip']);
export type ImageTextDecoding = z.infer<typeof ImageTextDecoding>;

/** Returns the name of the text encoder of a picture encoder. */
export function textEncoderOf(model: string): string {
  return `${model}-text`;
}

/** Names of comparable outputs; SigLIP's is the last one. */
const NAMES = ['image_embeds', 'text_embeds', 'pooler_output'];

/**
 * Returns the embedding of one picture or text as a vector of length 1. Throws VALIDATION when it does not have
 * `dimensions` numbers, or for NaN.
 */
export function comparable(model: string, outputs: Record<string, FloatTensor>, dimensions: number): Float32Array {
  const names = Object.keys(outputs);
  const output = outputs[NAMES.find((name) => names.includes(name)) ?? names[0] ?? ''];
  if (output?.data.length !== dimensions) {
    const given = output === undefined ? 'none' : `${output.data.length} numbers`;
    throw new AditError(
      'VALIDATION',
      `The model ${model} gives ${given}; its model.yaml says ${dimensions} dimensions.`,
    );
  }
  const length = Math.hypot(...output.data);
  if (Number.isNaN(length))
    throw new AditError('VALIDATION', `The model ${model} answers with NaN: its export went wrong.`);
  return length === 0 ? output.data : output.data.map((value) => value / length);
}

/**
 * Returns the score of each text for a picture, 0..1, from vectors of length 1 (CLIP: Radford et al. 2021; SigLIP: Zhai
 * et al. 2023).
 */
export function likeness(
  picture: Float32Array,
  texts: readonly Float32Array[],
  { scale, bias }: Similarity,
  decoding: ImageTextDecoding,
): Float32Array {
  const logits = Float32Array.from(texts, (text) => scale * dot(picture, text) + bias);
  // The softmax is always applied, since few logits may add up to 1 by chance.
  return decoding === 'siglip' ? scoresOf(logits, 'sigmoid') : softmax(logits);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [x, y] of zip(a, b)) sum += x * y;
  return sum;
}
