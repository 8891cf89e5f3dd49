import type { GraphBuilder } from '../graph-builder.js';
import { conversionError } from '../tensor.js';
import { channelsFirst, livesChannelsFirst, plain, type GraphValue } from '../tfjs-value.js';
import type { OpHandler, Operation } from './operation.js';

/** Adds the function called `name` after an ONNX tensor of any layout. */
function activation(graph: GraphBuilder, name: string, input: string): string {
  switch (name) {
    case 'Relu':
    case 'Sigmoid':
      return graph.node(name, [input]);
    case 'Relu6':
      return graph.node('Clip', [input, graph.floats([0]), graph.floats([6])]);
    default:
      throw conversionError(`the activation ${name} is not supported`);
  }
}

/** Relu, Relu6 or Sigmoid as a node of its own; element-wise, so the layout stays. */
export function pointwise(name: string): OpHandler {
  return (operation) => {
    const { graph } = operation;
    const value = operation.input(0);
    if (livesChannelsFirst(value)) {
      return { shape: value.shape, channelsFirst: activation(graph, name, channelsFirst(graph, value)) };
    }
    return { shape: value.shape, plain: activation(graph, name, plain(graph, value)) };
  };
}

/** A constant slope for negative values; the layout stays. */
export const leakyRelu: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const alpha = { alpha: { float: operation.float('alpha', 0.2) } };
  if (livesChannelsFirst(value)) {
    return { shape: value.shape, channelsFirst: graph.node('LeakyRelu', [channelsFirst(graph, value)], alpha) };
  }
  return { shape: value.shape, plain: graph.node('LeakyRelu', [plain(graph, value)], alpha) };
};

/** One learnt slope per channel, or per place and channel, for negative values. */
export const prelu: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  const slopes = operation.input(1);
  if (value.shape.length === 4) {
    const inputs = [channelsFirst(graph, value), channelsFirst(graph, slopes)];
    return { shape: value.shape, channelsFirst: graph.node('PRelu', inputs) };
  }
  return { shape: value.shape, plain: graph.node('PRelu', [plain(graph, value), plain(graph, slopes)]) };
};

/** Softmax over the last axis of TensorFlow's order, which is the channels of an image. */
export const softmax: OpHandler = (operation) => {
  const { graph } = operation;
  const value = operation.input(0);
  if (livesChannelsFirst(value)) {
    return { shape: value.shape, channelsFirst: graph.node('Softmax', [channelsFirst(graph, value)], { axis: 1 }) };
  }
  return { shape: value.shape, plain: graph.node('Softmax', [plain(graph, value)], { axis: -1 }) };
};

/**
 * Returns the bias of `_FusedConv2D` and `_FusedMatMul` (separately, since ONNX's own nodes take one), and a function
 * that adds their activations. The bias and any slopes follow the two operands as inputs, in that order.
 */
export function fusedSteps(operation: Operation): {
  bias: GraphValue | undefined;
  finish: (output: string, inLayout: (value: GraphValue) => string) => string;
} {
  const steps = [...operation.texts('fused_ops')];
  let next = 2;
  const bias = steps[0] === 'BiasAdd' ? operation.input(next) : undefined;
  if (bias !== undefined) {
    steps.shift();
    next += 1;
  }
  const finish = (output: string, inLayout: (value: GraphValue) => string): string =>
    steps.reduce((input, step) => {
      if (step !== 'Prelu') return activation(operation.graph, step, input);
      const slopes = inLayout(operation.input(next));
      next += 1;
      return operation.graph.node('PRelu', [input, slopes]);
    }, output);
  return { bias, finish };
}
