import { leakyRelu, pointwise, prelu, softmax } from './activation.js';
import { elementwise, matrixProduct } from './arithmetic.js';
import { sparseToDense, summedAtOnce } from './constant.js';
import { convolution, depthwiseConvolution } from './convolution.js';
import { concatenation, split, transpose } from './layout.js';
import type { OpHandler } from './operation.js';
import { averagePooling, maxPooling, mean } from './pooling.js';
import { resizeBilinear } from './resize.js';
import { identity, pad, placeholder, reshape, squeeze } from './shape.js';

/** Every TensorFlow op the converter knows; an op that is not here stops the conversion with its name. */
export const OPS: ReadonlyMap<string, OpHandler> = new Map<string, OpHandler>([
  ['Placeholder', placeholder],
  ['Identity', identity],
  ['Reshape', reshape],
  ['Squeeze', squeeze],
  ['Pad', pad],
  ['PadV2', pad],
  ['Transpose', transpose],
  ['ConcatV2', concatenation],
  ['SplitV', split],
  ['ResizeBilinear', resizeBilinear],
  ['SparseToDense', sparseToDense],

  ['Conv2D', convolution],
  ['_FusedConv2D', convolution],
  ['DepthwiseConv2dNative', depthwiseConvolution],
  ['FusedDepthwiseConv2dNative', depthwiseConvolution],
  ['MaxPool', maxPooling],
  ['AvgPool', averagePooling],
  ['Mean', mean],
  ['MatMul', matrixProduct],
  ['_FusedMatMul', matrixProduct],

  ['Add', elementwise('Add')],
  ['AddV2', summedAtOnce(elementwise('Add'))],
  ['BiasAdd', elementwise('Add')],
  ['Sub', elementwise('Sub')],
  ['Mul', elementwise('Mul')],
  ['RealDiv', elementwise('Div')],
  ['Maximum', elementwise('Max')],
  ['Minimum', elementwise('Min')],

  ['Relu', pointwise('Relu')],
  ['Relu6', pointwise('Relu6')],
  ['Sigmoid', pointwise('Sigmoid')],
  ['LeakyRelu', leakyRelu],
  ['Prelu', prelu],
  ['Softmax', softmax],
]);
