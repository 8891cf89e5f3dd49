import { AditError } from '@adit/contracts';
import {
  boxMap,
  firstOutput,
  inputOf,
  outputNamed,
  runOnPicture,
  type NetworkSession,
  type RgbImage,
  type View,
} from '@adit/inference';
import { normalise } from '../faces/embedding.js';

/**
 * Embeds the whole picture as a vector of length 1. Throws VALIDATION for an invalid embedding, since the user's
 * network may answer anything.
 */
export async function embed(picture: RgbImage, network: NetworkSession): Promise<Float32Array> {
  const { name, manifest } = network;
  const outputs = await runOnPicture(network, picture, viewOf(picture, network));
  if (manifest.family === undefined) return normalise(outputNamed(outputs, 'embedding').data);
  const { data } = firstOutput(outputs);
  if (data.length !== manifest.dimensions || !data.every(Number.isFinite)) {
    throw new AditError(
      'VALIDATION',
      `The model ${name} gives ${data.length} values, not all of them numbers or not ${manifest.dimensions ?? 'so many'}: its export or its training went wrong.`,
    );
  }
  return normalise(data);
}

/** Stretches by default, as pictures for the built-in network always were. */
function viewOf({ width, height }: RgbImage, network: NetworkSession): View {
  const input = inputOf(network);
  if (input.resize !== undefined) return 'whole';
  return boxMap({ x: 0, y: 0, w: width, h: height }, input.width, input.height);
}
