import { conversionError, reshaped, transposed, type ConstantTensor } from '../tensor.js';
import { channelsFirst, fixed, plain, type GraphValue } from '../tfjs-value.js';
import { fusedSteps } from './activation.js';
import type { OpHandler, Operation } from './operation.js';
import { windowOf } from './window.js';

/** TensorFlow keeps kernels as height×width×in×out; ONNX as out×in×height×width. */
const KERNEL_TO_ONNX = [3, 2, 0, 1] as const;

/** Conv2D and _FusedConv2D; fewer kernel than image channels means a grouped convolution. */
export const convolution: OpHandler = (operation) => {
  const image = operation.input(0);
  const kernel = kernelOf(operation);
  const [height, width, channelsIn, channelsOut] = kernelDims(kernel);
  const group = fixed(image.shape[3], 'the number of channels') / channelsIn;
  return convolve(operation, image, {
    kernel: transposed(kernel, KERNEL_TO_ONNX),
    size: [height, width],
    group,
    channelsOut,
  });
};

/** Depthwise: every channel has kernels of its own, so the group count is the number of channels. */
export const depthwiseConvolution: OpHandler = (operation) => {
  const image = operation.input(0);
  const kernel = kernelOf(operation);
  const [height, width, channels, multiplier] = kernelDims(kernel);
  const channelsOut = channels * multiplier;
  const perChannel = reshaped(kernel, [height, width, 1, channelsOut]);
  return convolve(operation, image, {
    kernel: transposed(perChannel, KERNEL_TO_ONNX),
    size: [height, width],
    group: channels,
    channelsOut,
  });
};

interface Kernel {
  readonly kernel: ConstantTensor;
  readonly size: readonly [number, number];
  readonly group: number;
  readonly channelsOut: number;
}

function convolve(operation: Operation, image: GraphValue, kernel: Kernel): GraphValue {
  const { graph } = operation;
  const window = windowOf(operation, image, kernel.size);
  const { bias, finish } = fusedSteps(operation);
  const inputs = [channelsFirst(graph, image), graph.constant(kernel.kernel)];
  if (bias !== undefined) inputs.push(plain(graph, bias));
  const output = graph.node('Conv', inputs, {
    kernel_shape: kernel.size,
    strides: window.strides,
    dilations: window.dilations,
    pads: window.pads,
    group: kernel.group,
  });
  const slopesPerChannel = (value: GraphValue): string => {
    if (value.constant === undefined) throw conversionError('slopes must be constant');
    return graph.constant(reshaped(value.constant, [kernel.channelsOut, 1, 1]));
  };
  return {
    shape: [image.shape[0] ?? 1, window.height, window.width, kernel.channelsOut],
    channelsFirst: finish(output, slopesPerChannel),
  };
}

function kernelOf(operation: Operation): ConstantTensor {
  const { constant } = operation.input(1);
  if (constant === undefined) throw conversionError('the kernel must be constant');
  return constant;
}

function kernelDims(kernel: ConstantTensor): [number, number, number, number] {
  const [height, width, channelsIn, channelsOut] = kernel.dims;
  if (height === undefined || width === undefined || channelsIn === undefined || channelsOut === undefined) {
    throw conversionError(`a kernel has four axes, not ${kernel.dims.join('×')}`);
  }
  return [height, width, channelsIn, channelsOut];
}
