import { conversionError, sizeOf, type ConstantTensor } from '../tensor.js';
import { integersOf, type GraphValue } from '../tfjs-value.js';
import type { OpHandler } from './operation.js';

/**
 * Target shapes that a graph computes from constants stay constant: a sum of two integer constants of one shape is
 * computed here, anything else is left to `handler`.
 */
export function summedAtOnce(handler: OpHandler): OpHandler {
  return (operation) => {
    const [a, b] = [integersIn(operation.input(0)), integersIn(operation.input(1))];
    if (a === undefined || b === undefined || a.dims.join() !== b.dims.join()) return handler(operation);
    const data = Int32Array.from(a.data, (value, i) => value + (b.data[i] ?? 0));
    return { shape: a.dims, constant: { type: 'int32', dims: a.dims, data } };
  };
}

function integersIn(value: GraphValue): ConstantTensor | undefined {
  return value.constant?.type === 'int32' ? value.constant : undefined;
}

/** SparseToDense of constants: a tensor of one value, with others at the given positions. */
export const sparseToDense: OpHandler = (operation) => {
  const places = integersOf(operation.input(0), 'places in a tensor');
  const dims = integersOf(operation.input(1), 'the size of a tensor');
  const values = integersOf(operation.input(2), 'values of a tensor');
  const [rest = 0] = integersOf(operation.input(3), 'the value of all others');
  const data = new Int32Array(sizeOf(dims)).fill(rest);
  const strides = dims.map((_, axis) => sizeOf(dims.slice(axis + 1)));
  for (let i = 0; i < places.length / dims.length; i += 1) {
    const at = strides.reduce((sum, stride, axis) => sum + stride * (places[i * dims.length + axis] ?? 0), 0);
    const value = values.length === 1 ? values[0] : values[i];
    if (value === undefined || at >= data.length)
      throw conversionError('a sparse tensor names places it does not have');
    data[at] = value;
  }
  return { shape: dims, constant: { type: 'int32', dims, data } };
};
