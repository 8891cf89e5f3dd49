import { BATCH } from './graph-builder.js';
import type { FaceApiLayers } from './face-api-layers.js';

/**
 * dlib's face recognition ResNet with 29 convolutions (dlib_face_recognition_resnet_model_v1), as face-api.js arranges
 * it. Input N×3×150×150 RGB 0..255, an aligned or loosely cropped face; output `embedding` N×128, faces of one person
 * lie within a Euclidean distance of 0.6.
 */
export function buildResnet(layers: FaceApiLayers): void {
  const { graph } = layers;
  let features = scaledConvolution(layers, layers.normalisedInput(150), 'conv32_down', 2, 'valid');
  features = graph.node('MaxPool', [layers.relu(features)], { kernel_shape: [3, 3], strides: [2, 2] });
  for (const path of ['conv32_1', 'conv32_2', 'conv32_3']) features = residual(layers, features, path);
  features = residualDown(layers, features, 'conv64_down', { newChannels: 32, shrinks: false });
  for (const path of ['conv64_1', 'conv64_2', 'conv64_3']) features = residual(layers, features, path);
  features = residualDown(layers, features, 'conv128_down', { newChannels: 64, shrinks: false });
  for (const path of ['conv128_1', 'conv128_2']) features = residual(layers, features, path);
  features = residualDown(layers, features, 'conv256_down', { newChannels: 128, shrinks: true });
  for (const path of ['conv256_1', 'conv256_2']) features = residual(layers, features, path);
  features = residualDown(layers, features, 'conv256_down_out', { newChannels: 0, shrinks: true });
  const pooled = graph.node('ReduceMean', [features], { axes: [2, 3], keepdims: 0 });
  graph.output('embedding', layers.fullyConnected(pooled, 'fc'), [BATCH, 128]);
}

/** A convolution with bias, then dlib's affine layer: one scale and one offset per channel. */
function scaledConvolution(
  layers: FaceApiLayers,
  input: string,
  path: string,
  stride: number,
  padding: 'same' | 'valid',
): string {
  const convolved = layers.convolution(input, `${path}/conv/filters`, stride, padding);
  const biased = layers.add(convolved, layers.perChannel(`${path}/conv/bias`));
  const scaled = layers.multiply(biased, layers.perChannel(`${path}/scale/weights`));
  return layers.add(scaled, layers.perChannel(`${path}/scale/biases`));
}

function residual(layers: FaceApiLayers, input: string, path: string): string {
  const first = layers.relu(scaledConvolution(layers, input, `${path}/conv1`, 1, 'same'));
  const second = scaledConvolution(layers, first, `${path}/conv2`, 1, 'same');
  return layers.relu(layers.add(second, input));
}

/**
 * A residual block that halves the image. The short cut is an average pooling; `newChannels` channels of zeros are
 * appended to it, and where the convolutions come out one row and column smaller than it (`shrinks`), zeros make up
 * for them.
 */
function residualDown(
  layers: FaceApiLayers,
  input: string,
  path: string,
  { newChannels, shrinks }: { newChannels: number; shrinks: boolean },
): string {
  const { graph } = layers;
  const first = layers.relu(scaledConvolution(layers, input, `${path}/conv1`, 2, 'valid'));
  let main = scaledConvolution(layers, first, `${path}/conv2`, 1, 'same');
  let shortcut = graph.node('AveragePool', [input], { kernel_shape: [2, 2], strides: [2, 2] });
  // Pads are starts then ends, over N, C, H, W.
  if (shrinks) main = graph.node('Pad', [main, graph.integers([0, 0, 0, 0, 0, 0, 1, 1])]);
  if (newChannels > 0) shortcut = graph.node('Pad', [shortcut, graph.integers([0, 0, 0, 0, 0, newChannels, 0, 0])]);
  return layers.relu(layers.add(shortcut, main));
}
