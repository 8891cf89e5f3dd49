import type { GraphBuilder } from '../graph-builder.js';
import { conversionError, transposed } from '../tensor.js';
import {
  channelsFirst,
  channelsFirstAxis,
  fixed,
  integersOf,
  livesChannelsFirst,
  plain,
  type GraphValue,
} from '../tfjs-value.js';
import type { OpHandler } from './operation.js';

/**
 * Transpose by a constant order that leaves the batch in front. Graphs converted to TensorFlow from another framework
 * transpose every image before a convolution and back after it; here those transposes are only another name of the same
 * tensor.
 */
export const transpose: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const order = integersOf(operation.input(1), 'the order of a transpose');
  if (value.constant !== undefined) {
    const constant = transposed(value.constant, order);
    return { shape: constant.dims, constant };
  }
  if (order[0] !== 0) throw conversionError(`a transpose to ${order.join(', ')} moves the batch`);
  const shape = order.map((axis) => value.shape[axis] ?? 1);
  switch (order.join()) {
    case '0,3,1,2':
      return { shape, plain: channelsFirst(graph, value) };
    case '0,2,3,1':
      return { shape, channelsFirst: plain(graph, value) };
    default:
      return { shape, plain: graph.node('Transpose', [plain(graph, value)], { perm: order }) };
  }
};

/** ConcatV2 along a constant axis, the last input; in channels-first order when every part lives there. */
export const concatenation: OpHandler = (operation) => {
  const { graph } = operation;
  const parts = operation.allInputs();
  const last = parts.pop();
  const first = parts[0];
  if (last === undefined || first === undefined) throw conversionError('nothing to concatenate');
  const axis = axisOf(last, first);
  const shape = first.shape.map((dim, i) =>
    i === axis ? parts.reduce((sum, part) => sum + fixed(part.shape[i], 'a concatenated axis'), 0) : dim,
  );
  if (parts.every(livesChannelsFirst)) {
    const inputs = parts.map((part) => channelsFirst(graph, part));
    return { shape, channelsFirst: graph.node('Concat', inputs, { axis: channelsFirstAxis(axis) }) };
  }
  const inputs = parts.map((part) => plain(graph, part));
  return { shape, plain: graph.node('Concat', inputs, { axis }) };
};

/** SplitV along a constant axis into constant sizes, as one slice for each part. */
export const split: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const axis = axisOf(operation.input(2), value);
  const whole = fixed(value.shape[axis], 'a split axis');
  const sizes = integersOf(operation.input(1), 'the sizes of a split');
  const known = sizes.filter((size) => size !== -1).reduce((sum, size) => sum + size, 0);
  let start = 0;
  const parts = sizes.map((size): GraphValue => {
    const end = start + (size === -1 ? whole - known : size);
    const shape = value.shape.map((dim, i) => (i === axis ? end - start : dim));
    const part = livesChannelsFirst(value)
      ? { shape, channelsFirst: slice(graph, channelsFirst(graph, value), channelsFirstAxis(axis), start, end) }
      : { shape, plain: slice(graph, plain(graph, value), axis, start, end) };
    start = end;
    return part;
  });
  if (start !== whole) throw conversionError(`parts of ${sizes.join(' + ')} do not make up ${whole}`);
  return parts;
};

function slice(graph: GraphBuilder, input: string, axis: number, start: number, end: number): string {
  return graph.node('Slice', [input, graph.integers([start]), graph.integers([end]), graph.integers([axis])]);
}

/** An axis other than the batch, counted from the front. */
function axisOf(value: GraphValue, of: GraphValue): number {
  const [axis = 0] = integersOf(value, 'an axis');
  const fromFront = axis < 0 ? axis + of.shape.length : axis;
  if (fromFront === 0) throw conversionError('the batch cannot be joined or split');
  return fromFront;
}
