import { AditError, ClassifierDecoding, zip } from '@adit/contracts';
import { boxMap, inputOf, runOnPicture, type NetworkSession, type RgbImage, type View } from '@adit/inference';

/** What a picture may show, the surest first; scores 0..1. */
export type Likely = { label: string; score: number }[];

/** Labels written down of a picture. */
const KEPT = 5;
/** Below this a label says nothing. */
const MIN_SCORE = 0.05;
/** Sums of shares, as float32 adds them up, miss 1 by less. */
const TOLERANCE = 0.01;

/**
 * A picture through a classifier whose one output has a value for each of the manifest's `labels`, read as its `decoding` says.
 * Throws VALIDATION when there is not one value for each label, or when they are not numbers.
 */
export async function classify(picture: RgbImage, network: NetworkSession): Promise<Likely> {
  const { labels = [], decoding } = network.manifest;
  const outputs = Object.values(await runOnPicture(network, picture, viewOf(picture, network)));
  // Some exports give their features too.
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

/** Stretched where nothing is said, as networks for the slot `scenes` always were. */
function viewOf({ width, height }: RgbImage, network: NetworkSession): View {
  const input = inputOf(network);
  if (input.resize !== undefined) return 'whole';
  return boxMap({ x: 0, y: 0, w: width, h: height }, input.width, input.height);
}

/** The best few of scores by label, the surest first, of equally sure ones the first named. */
export function likely(scores: Float32Array, labels: readonly string[]): Likely {
  return Array.from(zip(labels, scores), ([label, score]) => ({ label, score }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, KEPT);
}

/** A network's values as scores of 0..1. */
export function scoresOf(values: Float32Array, decoding: ClassifierDecoding): Float32Array {
  switch (decoding) {
    case 'softmax':
      return sharesOf(values);
    case 'sigmoid':
      return values.map((value) => 1 / (1 + Math.exp(-value)));
    case 'scores':
      return values.map((value) => Math.min(1, Math.max(0, value)));
  }
}

/** Values as shares of 1: as they are when they are that already, else their softmax. */
export function sharesOf(values: Float32Array): Float32Array {
  const sum = values.reduce((total, value) => total + value, 0);
  if (Math.abs(sum - 1) < TOLERANCE && values.every((value) => value >= 0)) return values;
  const highest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const powers = values.map((value) => Math.exp(value - highest));
  const total = powers.reduce((all, value) => all + value, 0);
  return powers.map((value) => value / total);
}
