import { AditError, zip } from '@adit/contracts';
import { boxMap, inputOf, runOnPicture, type NetworkSession, type RgbImage, type View } from '@adit/inference';
import { ClassifierDecoding, scoresOf } from '@adit/inference/families/classifier/decoding';

/** Possible scenes of a picture, the likeliest first; scores 0..1. */
export type Likely = { label: string; score: number }[];

/** Labels stored per picture. */
const KEPT = 5;
/** Below this score a label is insignificant. */
const MIN_SCORE = 0.05;

/**
 * Classifies a picture with a network whose output has a value per manifest label, read by its `decoding`. Throws
 * VALIDATION when the number of values differs, or for NaN.
 */
export async function classify(picture: RgbImage, network: NetworkSession): Promise<Likely> {
  const { labels = [], decoding } = network.manifest;
  const outputs = Object.values(await runOnPicture(network, picture, viewOf(picture, network)));
  // Some exports return their features too.
  const output = outputs.find(({ data }) => data.length === labels.length) ?? outputs[0];
  if (output?.data.length !== labels.length) {
    throw new AditError(
      'VALIDATION',
      `The model ${network.name} gives ${output?.data.length ?? 0} values and model.yaml names ${labels.length} labels; there must be one value for each.`,
    );
  }
  if (output.data.some(Number.isNaN)) {
    throw new AditError(
      'VALIDATION',
      `The model ${network.name} answers with NaN: its export or its training went wrong.`,
    );
  }
  return likely(scoresOf(output.data, ClassifierDecoding.parse(decoding ?? 'softmax')), labels);
}

/** Stretches by default, as networks for the slot `scenes` always were. */
function viewOf({ width, height }: RgbImage, network: NetworkSession): View {
  const input = inputOf(network);
  if (input.resize !== undefined) return 'whole';
  return boxMap({ x: 0, y: 0, w: width, h: height }, input.width, input.height);
}

/** Returns the best few scores by label, the highest first, of equal ones the first label. */
export function likely(scores: Float32Array, labels: readonly string[]): Likely {
  return Array.from(zip(labels, scores), ([label, score]) => ({ label, score }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, KEPT);
}
