import { AditError, type Similarity, zip } from '@adit/contracts';
import { z } from 'zod';
import type { FloatTensor } from '../../tensor.js';
import { scoresOf, softmax } from '../classifier/decoding.js';

/** What the logits of all words are: of one that is right among them (`clip`), or of each for itself (`siglip`). */
export const ImageTextDecoding = z.enum(['clip', 'siglip']);
export type ImageTextDecoding = z.infer<typeof ImageTextDecoding>;

/** The name of the encoder of text that belongs to an encoder of pictures. */
export function textEncoderOf(model: string): string {
  return `${model}-text`;
}

/** Outputs that a picture, or a text, is compared by; those of SigLIP have the second name. */
const NAMES = ['image_embeds', 'text_embeds', 'pooler_output'];

/** The numbers of one picture or one text, as a vector of length 1. Throws VALIDATION when there are not `dimensions`, or NaN. */
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
 * How well a picture shows what each text says, 0..1, from vectors of length 1 (CLIP: Radford et al. 2021; SigLIP: Zhai et al.
 * 2023).
 */
export function likeness(
  picture: Float32Array,
  texts: readonly Float32Array[],
  { scale, bias }: Similarity,
  decoding: ImageTextDecoding,
): Float32Array {
  const logits = Float32Array.from(texts, (text) => scale * dot(picture, text) + bias);
  // Shares of a few logits may add up to 1 by chance before the softmax: it is always taken.
  return decoding === 'siglip' ? scoresOf(logits, 'sigmoid') : softmax(logits);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [x, y] of zip(a, b)) sum += x * y;
  return sum;
}
