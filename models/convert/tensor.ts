import { AditError } from '@adit/contracts';

export type TensorType = 'float32' | 'int32' | 'bool';
export type TensorData = Float32Array | Int32Array | Uint8Array;

/** A tensor whose values are known while converting; row-major, little-endian like ONNX's raw data. */
export interface ConstantTensor {
  readonly type: TensorType;
  readonly dims: readonly number[];
  readonly data: TensorData;
}

/** Number of elements of a shape; 1 for a scalar. */
export function sizeOf(dims: readonly number[]): number {
  return dims.reduce((size, dim) => size * dim, 1);
}

/** An empty array of the same kind as `data`. */
function emptyLike(data: TensorData, length: number): TensorData {
  if (data instanceof Float32Array) return new Float32Array(length);
  if (data instanceof Int32Array) return new Int32Array(length);
  return new Uint8Array(length);
}

/** The same values under another shape of equal size. */
export function reshaped(tensor: ConstantTensor, dims: readonly number[]): ConstantTensor {
  if (sizeOf(dims) !== tensor.data.length) {
    throw conversionError(`cannot view ${tensor.data.length} values as ${dims.join('×')}`);
  }
  return { ...tensor, dims };
}

/** `result[i0, i1, …]` with axis `k` of the result being axis `axes[k]` of the input, as numpy.transpose does. */
export function transposed(tensor: ConstantTensor, axes: readonly number[]): ConstantTensor {
  const strides = tensor.dims.map((_, axis) => sizeOf(tensor.dims.slice(axis + 1)));
  const dims = axes.map((axis) => tensor.dims[axis] ?? 1);
  const steps = axes.map((axis) => strides[axis] ?? 0);
  const data = emptyLike(tensor.data, tensor.data.length);
  const index = new Array<number>(dims.length).fill(0);
  let source = 0;
  for (let target = 0; target < data.length; target += 1) {
    data[target] = tensor.data[source] ?? 0;
    // Counts like an odometer: the last axis changes fastest.
    for (let axis = dims.length - 1; axis >= 0; axis -= 1) {
      const dim = dims[axis] ?? 1;
      const step = steps[axis] ?? 0;
      const next = (index[axis] ?? 0) + 1;
      source += step;
      if (next < dim) {
        index[axis] = next;
        break;
      }
      index[axis] = 0;
      source -= step * dim;
    }
  }
  return { type: tensor.type, dims, data };
}

/** Error for weights that cannot be converted: the message tells which and why. A redelivery cannot help. */
export function conversionError(message: string, cause?: unknown): AditError {
  return new AditError('MODEL_NOT_INSTALLED', message, { cause });
}
