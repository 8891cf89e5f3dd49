import type { Dim, GraphBuilder } from './graph-builder.js';
import { conversionError, reshaped, transposed, type ConstantTensor } from './tensor.js';

// TensorFlow.js keeps images as N×H×W×C; ONNX's convolutions want N×C×H×W.
const TO_CHANNELS_FIRST: readonly number[] = [0, 3, 1, 2];
const TO_CHANNELS_LAST: readonly number[] = [0, 2, 3, 1];

/**
 * A tensor of the TensorFlow graph. `shape` is always TensorFlow's; the ONNX tensor may exist in TensorFlow's order
 * (`plain`), with channels first (`channelsFirst`, rank 4 only), or both, once they are needed.
 */
export interface GraphValue {
  readonly shape: readonly Dim[];
  readonly constant?: ConstantTensor;
  plain?: string;
  channelsFirst?: string;
}

/** The ONNX tensor in TensorFlow's own order, transposed when only the other exists. */
export function plain(graph: GraphBuilder, value: GraphValue): string {
  if (value.plain !== undefined) return value.plain;
  if (value.constant !== undefined) value.plain = graph.constant(value.constant);
  else if (value.channelsFirst !== undefined) {
    value.plain = graph.node('Transpose', [value.channelsFirst], { perm: TO_CHANNELS_LAST });
  } else throw conversionError('a value of the graph was never computed');
  return value.plain;
}

/** The ONNX tensor with channels first; lower ranks are constants broadcast against images, so they become rank 4. */
export function channelsFirst(graph: GraphBuilder, value: GraphValue): string {
  if (value.channelsFirst !== undefined) return value.channelsFirst;
  const { constant } = value;
  if (constant !== undefined) {
    const padding = new Array<number>(4 - constant.dims.length).fill(1);
    const image = reshaped(constant, [...padding, ...constant.dims]);
    value.channelsFirst = graph.constant(transposed(image, TO_CHANNELS_FIRST));
  } else if (value.shape.length === 4) {
    value.channelsFirst = graph.node('Transpose', [plain(graph, value)], { perm: TO_CHANNELS_FIRST });
  } else {
    throw conversionError(`a computed tensor of rank ${value.shape.length} meets an image; only constants may`);
  }
  return value.channelsFirst;
}

/** True when the value is an image that already exists with channels first, so working on it costs no transpose. */
export function livesChannelsFirst(value: GraphValue): boolean {
  return value.constant === undefined && value.channelsFirst !== undefined;
}

/** Returns the position of axis `axis` of an N×H×W×C tensor with channels first. */
export function channelsFirstAxis(axis: number): number {
  return TO_CHANNELS_FIRST.indexOf(axis);
}

/** The numbers of a small constant: a shape, axes, pads. */
export function integersOf(value: GraphValue, meaning: string): number[] {
  if (value.constant === undefined) throw conversionError(`${meaning} must be constant`);
  return Array.from(value.constant.data, Number);
}

/** The size of an axis that cannot be the batch. */
export function fixed(dim: Dim | undefined, meaning: string): number {
  if (typeof dim !== 'number') throw conversionError(`${meaning} must be known; it is ${dim ?? 'missing'}`);
  return dim;
}

/** Shape of an elementwise result, by numpy's broadcasting. */
export function broadcast(a: readonly Dim[], b: readonly Dim[]): Dim[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const left = a[a.length - rank + axis] ?? 1;
    const right = b[b.length - rank + axis] ?? 1;
    if (left === 1) return right;
    if (right === 1 || left === right) return left;
    throw conversionError(`shapes ${a.join('×')} and ${b.join('×')} cannot be combined`);
  });
}
