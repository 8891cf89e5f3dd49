import { BATCH, type Dim, type GraphBuilder } from '../graph-builder.js';
import { conversionError, reshaped, sizeOf } from '../tensor.js';
import { channelsFirst, fixed, integersOf, livesChannelsFirst, plain } from '../tfjs-value.js';
import type { OpHandler } from './operation.js';

/** The graph's input. The first axis becomes the batch, whatever size it was exported with. */
export const placeholder: OpHandler = (operation) => {
  const [, ...sizes] = operation.shape();
  if (sizes.length === 0 || sizes.some((size) => size <= 0)) {
    throw conversionError(`the input's shape ${operation.shape().join('×') || '(none)'} is open beyond the batch`);
  }
  const shape: Dim[] = [BATCH, ...sizes];
  return { shape, plain: operation.graph.input(operation.name, shape) };
};

export const identity: OpHandler = (operation) => operation.input(0);

/**
 * Reshape to a constant shape. An exported batch of 1 (or -1) in front means the batch, so the rest must hold exactly
 * what one row holds.
 */
export const reshape: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const wanted = integersOf(operation.input(1), 'a target shape');
  if (value.constant !== undefined) {
    const dims = resolve(wanted, value.constant.data.length);
    return { shape: dims, constant: reshaped(value.constant, dims) };
  }
  const rowSize = sizeOf(value.shape.slice(1).map((dim) => fixed(dim, 'a row')));
  const [batch, ...rest] = wanted;
  if (batch !== 1 && batch !== -1) throw conversionError(`the target shape ${wanted.join('×')} moves the batch`);
  const row = resolve(rest, rowSize);
  // 0 keeps the size of the input's first axis, so the batch stays open.
  const output = graph.node('Reshape', [plain(graph, value), graph.integers([0, ...row])]);
  return { shape: [value.shape[0] ?? 1, ...row], plain: output };
};

/** Removes the named axes, each of size 1 and none of them the batch. */
export const squeeze: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const rank = value.shape.length;
  const axes = operation.integers('squeeze_dims').map((axis) => (axis + rank) % rank);
  if (axes.length === 0 || axes.includes(0) || axes.some((axis) => value.shape[axis] !== 1)) {
    throw conversionError(`axes ${axes.join(', ') || '(none named)'} of ${value.shape.join('×')} cannot be left out`);
  }
  const shape = value.shape.filter((_, axis) => !axes.includes(axis));
  const sizes = shape.slice(1).map((dim) => fixed(dim, 'a row'));
  // 0 keeps the size of the input's first axis, so the batch stays open.
  return { shape, plain: graph.node('Reshape', [plain(graph, value), graph.integers([0, ...sizes])]) };
};

/** Replaces a single -1 by the size that makes `dims` hold `total` values. */
function resolve(dims: readonly number[], total: number): number[] {
  const known = sizeOf(dims.filter((dim) => dim !== -1));
  const resolved = dims.map((dim) => (dim === -1 ? total / known : dim));
  if (!resolved.every(Number.isInteger) || sizeOf(resolved) !== total) {
    throw conversionError(`${total} values do not take the shape ${dims.join('×')}`);
  }
  return resolved;
}

type Amounts = readonly [before: number, after: number];

/** Pad with zeros, PadV2 with a constant of its own; the amounts are constant pairs (before, after) per axis. */
export const pad: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const flat = integersOf(operation.input(1), 'the amounts of a padding');
  const amounts = value.shape.map((_, axis): Amounts => [flat[2 * axis] ?? 0, flat[2 * axis + 1] ?? 0]);
  const shape = value.shape.map((dim, axis) => {
    const [before, after] = amounts[axis] ?? [0, 0];
    return before + after === 0 ? dim : fixed(dim, 'a padded axis') + before + after;
  });
  const filling = operation.optionalInput(2);
  const rest = filling === undefined ? [] : [plain(graph, filling)];
  if (livesChannelsFirst(value)) {
    const [rows, height, width, channels] = amounts;
    const pads = onnxPads(graph, [rows, channels, height, width]);
    return { shape, channelsFirst: graph.node('Pad', [channelsFirst(graph, value), pads, ...rest]) };
  }
  return { shape, plain: graph.node('Pad', [plain(graph, value), onnxPads(graph, amounts), ...rest]) };
};

/** ONNX wants all the starts, then all the ends. */
function onnxPads(graph: GraphBuilder, amounts: readonly (Amounts | undefined)[]): string {
  return graph.integers([...amounts.map((pair) => pair?.[0] ?? 0), ...amounts.map((pair) => pair?.[1] ?? 0)]);
}
