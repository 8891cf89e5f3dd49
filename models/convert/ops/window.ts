import { conversionError } from '../tensor.js';
import { fixed, type GraphValue } from '../tfjs-value.js';
import type { Operation } from './operation.js';

/** Position of a sliding window (a convolution or a pooling): ONNX attributes and the size of the result. */
interface Window {
  readonly strides: readonly [number, number];
  readonly dilations: readonly [number, number];
  /** ONNX order: top, left, bottom, right. */
  readonly pads: readonly number[];
  readonly height: number;
  readonly width: number;
}

interface Axis {
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
}

/**
 * Resolves TensorFlow's padding to numbers. SAME puts the odd pixel after, and depends on the input's size, so it is
 * computed here rather than by ONNX.
 */
export function windowOf(operation: Operation, image: GraphValue, kernel: readonly [number, number]): Window {
  if (operation.text('data_format', 'NHWC') !== 'NHWC') throw conversionError('only the NHWC layout is supported');
  const [, strideY = 1, strideX = 1] = operation.integers('strides');
  const [, dilationY = 1, dilationX = 1] = operation.integers('dilations', [1, 1, 1, 1]);
  const rows = {
    size: fixed(image.shape[1], 'an image height'),
    kernel: kernel[0],
    stride: strideY,
    dilation: dilationY,
  };
  const columns = {
    size: fixed(image.shape[2], 'an image width'),
    kernel: kernel[1],
    stride: strideX,
    dilation: dilationX,
  };
  const [top, bottom] = padsOf(operation, rows, 1);
  const [left, right] = padsOf(operation, columns, 2);
  return {
    strides: [strideY, strideX],
    dilations: [dilationY, dilationX],
    pads: [top, left, bottom, right],
    height: resultSize(rows, top + bottom),
    width: resultSize(columns, left + right),
  };
}

function padsOf(operation: Operation, axis: Axis, index: 1 | 2): readonly [number, number] {
  const padding = operation.text('padding', 'VALID');
  if (padding === 'VALID') return [0, 0];
  if (padding === 'EXPLICIT') {
    const explicit = operation.integers('explicit_paddings');
    return [explicit[2 * index] ?? 0, explicit[2 * index + 1] ?? 0];
  }
  if (padding !== 'SAME') throw conversionError(`padding ${padding} is not supported`);
  const steps = Math.ceil(axis.size / axis.stride) - 1;
  const total = Math.max(steps * axis.stride + reach(axis) - axis.size, 0);
  return [Math.floor(total / 2), Math.ceil(total / 2)];
}

/** Pixels a dilated kernel spans. */
function reach(axis: Axis): number {
  return (axis.kernel - 1) * axis.dilation + 1;
}

function resultSize(axis: Axis, padding: number): number {
  return Math.floor((axis.size + padding - reach(axis)) / axis.stride) + 1;
}
