import { dirname } from 'node:path';
import { buildAgeGender } from './face-api-age-gender.js';
import { buildExpression } from './face-api-expression.js';
import { FaceApiLayers } from './face-api-layers.js';
import { buildResnet } from './face-api-resnet.js';
import type { FaceApiNetwork } from './networks.js';
import { readDocument } from './tfjs-model.js';
import { readWeights, WeightsManifest } from './weights.js';

const BUILDERS: Record<FaceApiNetwork, (layers: FaceApiLayers) => void> = {
  'dlib-resnet': buildResnet,
  'age-gender': buildAgeGender,
  expression: buildExpression,
};

/**
 * Builds the ONNX graph of a face-api.js network around the weights its manifest at `path` lists.
 * @throws AditError when the weights are not those of that network.
 */
export async function convertFaceApi(path: string, network: FaceApiNetwork, name: string): Promise<Uint8Array> {
  const manifest = await readDocument(path, WeightsManifest);
  const layers = new FaceApiLayers(await readWeights(manifest, dirname(path)));
  BUILDERS[network](layers);
  return layers.graph.toModel(name);
}
