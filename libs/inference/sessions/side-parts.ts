import { AditError, type ImageInput, type SidePart } from '@adit/contracts';
import type { Tensor } from '../tensor.js';

interface SideInput {
  name: string;
  type: string;
  /** Dimensions of the tensor; any that is not a positive number is open. */
  dims: readonly (number | string | null)[];
}

/**
 * Returns an additional input of a picture network for a picture of that size: its width and height, or a one per
 * pixel. Throws VALIDATION.
 */
export function sideTensor(part: SidePart, { name, type, dims }: SideInput, size: Pixels): Tensor {
  const { width, height } = size;
  const open = dims.length >= 2 && part === 'ones' ? [height, width] : [part === 'size' ? 2 : 1];
  const known = dims.map((dim, at) =>
    typeof dim === 'number' && dim > 0 ? dim : (open[at - (dims.length - open.length)] ?? 1),
  );
  const count = known.reduce((product, dim) => product * dim, 1);
  const numbers = Array.from({ length: count }, (_, at) => (part === 'ones' ? 1 : at % 2 === 0 ? width : height));
  switch (type) {
    case 'int64':
      return { type, dims: known, data: BigInt64Array.from(numbers, BigInt) };
    case 'int32':
      return { type, dims: known, data: Int32Array.from(numbers) };
    case 'float32':
      return { type, dims: known, data: Float32Array.from(numbers) };
    case 'bool':
      return { type, dims: known, data: Uint8Array.from(numbers, (number) => Math.min(1, number)) };
    default:
      throw new AditError(
        'VALIDATION',
        `The input ${name} takes ${type}; a size, or ones, can be given as whole numbers.`,
      );
  }
}

type Pixels = Pick<ImageInput, 'width' | 'height'>;
