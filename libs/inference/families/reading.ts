import type { PixelBox } from '../picture/affine.js';
import type { FloatTensor } from '../tensor.js';

/** Outputs of one picture by name, without the batch. */
export type Answer = Readonly<Record<string, FloatTensor>>;

/** What has to be known of a model to read its outputs. */
export interface ReadAs {
  decoding: string;
  /** How many labels it has. */
  labels: number;
  /** Length of an embedding. */
  dimensions: number;
  /** Pixels of the input. */
  width: number;
  height: number;
}

/** Something that a model says of a picture; the box in pixels of the input, null for the whole of it. */
export interface Read {
  kind: number;
  score: number;
  box: PixelBox | null;
}
