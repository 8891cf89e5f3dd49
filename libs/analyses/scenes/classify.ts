import { AditError, zip } from '@adit/contracts';
import { boxMap, inputOf, runOnPicture, type NetworkSession, type RgbImage } from '@adit/inference';

/** What a scene may be, the surest first; scores 0..1. */
export type Likely = { label: string; score: number }[];

/** Labels written down of a picture. */
const KEPT = 5;
/** Below this a label says nothing. */
const MIN_SCORE = 0.05;
/** Sums of shares, as float32 adds them up, miss 1 by less. */
const TOLERANCE = 0.01;

/**
 * The whole picture, stretched to the network's input, through a classifier whose one output has a value for each of the
 * manifest's `labels`: shares that add up to 1, or logits. Throws VALIDATION when there is not one value for each label.
 */
export async function classify(picture: RgbImage, network: NetworkSession): Promise<Likely> {
  const { width, height } = inputOf(network);
  const whole = { x: 0, y: 0, w: picture.width, h: picture.height };
  const [output] = Object.values(await runOnPicture(network, picture, boxMap(whole, width, height)));
  const { labels = [] } = network.manifest;
  if (output?.data.length !== labels.length) {
    throw new AditError(
      'VALIDATION',
      `The model ${network.name} gives ${output?.data.length ?? 0} values and model.yaml names ${labels.length} labels; there must be one value for each.`,
    );
  }
  return likely(sharesOf(output.data), labels);
}

/** The best few of shares by label, the surest first, of equally sure ones the first named. */
export function likely(shares: Float32Array, labels: readonly string[]): Likely {
  return Array.from(zip(labels, shares), ([label, score]) => ({ label, score }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, KEPT);
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
