import { BATCH } from './graph-builder.js';
import type { FaceApiLayers } from './face-api-layers.js';

/**
 * face-api.js' age and gender network, a small Xception. Input N×3×112×112 RGB 0..255, a face crop; outputs `age`
 * N×1 in years and `gender` N×2, probabilities of male and female.
 */
export function buildAgeGender(layers: FaceApiLayers): void {
  const { graph } = layers;
  const entry = biasedConvolution(layers, layers.normalisedInput(112), 'entry_flow/conv_in');
  let features = reduction(layers, layers.relu(entry), 'entry_flow/reduction_block_0', false);
  features = reduction(layers, features, 'entry_flow/reduction_block_1', true);
  for (let block = 0; layers.has(`middle_flow/main_block_${block}/separable_conv0/bias`); block += 1) {
    features = mainBlock(layers, features, `middle_flow/main_block_${block}`);
  }
  features = reduction(layers, features, 'exit_flow/reduction_block', true);
  features = layers.relu(layers.separableConvolution(features, 'exit_flow/separable_conv'));
  // 7×7 pixels are left, so a 7×7 average leaves one per channel.
  const pooled = graph.node('AveragePool', [features], { kernel_shape: [7, 7], strides: [2, 2] });
  const flat = graph.node('Flatten', [pooled]);
  const gender = layers.fullyConnected(flat, 'fc/gender/weights', 'fc/gender/bias');
  graph.output('age', layers.fullyConnected(flat, 'fc/age/weights', 'fc/age/bias'), [BATCH, 1]);
  graph.output('gender', graph.node('Softmax', [gender], { axis: 1 }), [BATCH, 2]);
}

/** A convolution of stride 2 with bias. */
function biasedConvolution(layers: FaceApiLayers, input: string, path: string): string {
  return layers.add(layers.convolution(input, `${path}/filters`, 2, 'same'), layers.perChannel(`${path}/bias`));
}

/** Two separable convolutions and a pooling beside a strided convolution; the first block's input is active already. */
function reduction(layers: FaceApiLayers, input: string, path: string, activateInput: boolean): string {
  const active = activateInput ? layers.relu(input) : input;
  const first = layers.separableConvolution(active, `${path}/separable_conv0`);
  const second = layers.separableConvolution(layers.relu(first), `${path}/separable_conv1`);
  const pooled = layers.graph.node('MaxPool', [second], {
    kernel_shape: [3, 3],
    strides: [2, 2],
    auto_pad: 'SAME_UPPER',
  });
  return layers.add(pooled, biasedConvolution(layers, input, `${path}/expansion_conv`));
}

function mainBlock(layers: FaceApiLayers, input: string, path: string): string {
  const convolved = [0, 1, 2].reduce(
    (features, step) => layers.separableConvolution(layers.relu(features), `${path}/separable_conv${step}`),
    input,
  );
  return layers.add(convolved, input);
}
