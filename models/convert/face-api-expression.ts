import type { FaceApiLayers } from './face-api-layers.js';
import { BATCH } from './graph-builder.js';

/**
 * face-api.js' network of facial expressions: four dense blocks of separable convolutions. Input N×3×112×112 RGB 0..255,
 * a face crop; output `expression` N×7, probabilities of neutral, happy, sad, angry, fearful, disgusted and surprised.
 */
export function buildExpression(layers: FaceApiLayers): void {
  const { graph } = layers;
  let features = layers.normalisedInput(112);
  for (let block = 0; layers.has(`dense${block}/conv0/bias`); block += 1) {
    features = denseBlock(layers, features, `dense${block}`);
  }
  // 7×7 pixels are left, so a 7×7 average leaves one per channel.
  const pooled = graph.node('AveragePool', [features], { kernel_shape: [7, 7], strides: [2, 2] });
  const scores = layers.fullyConnected(graph.node('Flatten', [pooled]), 'fc/weights', 'fc/bias');
  graph.output('expression', graph.node('Softmax', [scores], { axis: 1 }), [BATCH, 7]);
}

/** A convolution that halves the image, then three of which each sees the sum of those before it. */
function denseBlock(layers: FaceApiLayers, input: string, path: string): string {
  let sum = layers.relu(
    layers.has(`${path}/conv0/filters`)
      ? layers.add(
          layers.convolution(input, `${path}/conv0/filters`, 2, 'same'),
          layers.perChannel(`${path}/conv0/bias`),
        )
      : layers.separableConvolution(input, `${path}/conv0`, 2),
  );
  let seen = sum;
  for (const step of [1, 2, 3]) {
    sum = layers.add(sum, layers.separableConvolution(seen, `${path}/conv${step}`));
    seen = layers.relu(sum);
  }
  return seen;
}
