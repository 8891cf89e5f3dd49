import { AditError, elementAt } from '@adit/contracts';
import type { FloatTensor } from '../../tensor.js';

/** Values of a map go a little beyond 0 and 1 where they were rounded. */
const BEYOND = 0.01;
/** 4096 × 4096: pictures that are looked at are smaller, and so are their maps. */
const MOST_PIXELS = 4096 ** 2;

/**
 * How likely each pixel is the core of a line of text, 0..1, of the output 1×H×W (or H×W) of a differentiable binarization (Liao et
 * al., AAAI 2020): as it is where it says that already, else the sigmoid of its logits. Throws
 * VALIDATION for one of so many pixels that it holds others up.
 */
export function likelihoodMap({ data, dims }: FloatTensor): { map: Float32Array; width: number; height: number } {
  const [height, width] = [elementAt(dims, -2), elementAt(dims, -1)];
  if (width * height > MOST_PIXELS) {
    const size = `${width} × ${height} pixels`;
    throw new AditError('VALIDATION', `The network's map has ${size}: ${MOST_PIXELS} can be read.`);
  }
  const isLikelihood = data.every((value) => value >= -BEYOND && value <= 1 + BEYOND);
  return { map: isLikelihood ? data : data.map((value) => 1 / (1 + Math.exp(-value))), width, height };
}
