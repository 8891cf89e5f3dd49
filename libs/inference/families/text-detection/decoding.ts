import { AditError, elementAt } from '@adit/contracts';
import type { FloatTensor } from '../../tensor.js';

/** Tolerance beyond 0 and 1 for rounded values. */
const BEYOND = 0.01;
/** 4096 × 4096: pictures are smaller when analysed, and so are their maps. */
const MAX_PIXELS = 4096 ** 2;

/**
 * Returns the probability, 0..1, that each pixel is the core of a text line, from the output 1×H×W (or H×W) of a
 * differentiable binarization (Liao et al., AAAI 2020): the values themselves where they are probabilities, else the
 * sigmoid of logits. Throws VALIDATION for more pixels than can be read without blocking.
 */
export function likelihoodMap({ data, dims }: FloatTensor): { map: Float32Array; width: number; height: number } {
  const [height, width] = [elementAt(dims, -2), elementAt(dims, -1)];
  if (width * height > MAX_PIXELS) {
    const size = `${width} × ${height} pixels`;
    throw new AditError('VALIDATION', `The network's map has ${size}: ${MAX_PIXELS} can be read.`);
  }
  const isLikelihood = data.every((value) => value >= -BEYOND && value <= 1 + BEYOND);
  return { map: isLikelihood ? data : data.map((value) => 1 / (1 + Math.exp(-value))), width, height };
}
