import type { PixelBox } from '../picture/affine.js';
import type { FloatTensor } from '../tensor.js';

/** Outputs of one picture by name, without the batch. */
export type Answer = Readonly<Record<string, FloatTensor>>;

/** Properties of a model that are needed to read its outputs. */
export interface ReadAs {
  decoding: string;
  /** Number of labels. */
  labels: number;
  /** Length of an embedding. */
  dimensions: number;
  /** Pixels of the input. */
  width: number;
  height: number;
}

/** A finding of a model in a picture; the box in pixels of the input, null for the whole picture. */
export interface Read {
  kind: number;
  score: number;
  box: PixelBox | null;
}
