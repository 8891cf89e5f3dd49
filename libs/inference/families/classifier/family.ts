import { z } from 'zod';
import { defineFamily, LABELS, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, outputNamed, MIN_EMBEDDING_LENGTH, type Shape } from '../graph.js';
import { ClassifierDecoding, isShares, scoresOf, TOLERANCE, valuesOf } from './decoding.js';

/** Classifiers of whole pictures. */
export default defineFamily({
  name: 'classifier',
  task: 'image-classification',
  decodings: ClassifierDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'scenes' }],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 30,
  recognise,
  read: (answer, { decoding, labels }, minScore) => {
    const scores = scoresOf(valuesOf(answer, labels).data, ClassifierDecoding.parse(decoding));
    return [...scores].flatMap((score, kind) => (score >= minScore ? [{ kind, score, box: null }] : []));
  },
});

/** A number per class. Without any sign of classes the output is an embedding. */
function recognise(shape: Shape): Finding | null {
  const { outline, hints, picture } = shape;
  if (picture === null) return null;
  const output = outline.outputs.length === 1 ? outline.outputs[0] : outputNamed(shape, /^logits$/);
  const classes = axesBehindBatch(output, 1)?.[0] ?? null;
  if (output === undefined || classes === null || classes < 2) return null;
  const said =
    hints.labels?.length === classes ||
    /(ForImageClassification|^classify$)/.test(hints.task ?? '') ||
    /^(logits|probs?|probabilities|softmax|predictions?|classLabel)/i.test(output.name);
  if (!said && mayBeEmbedding(classes, answersOf(shape, output.name))) return null;
  return {
    decoding: decodingOf(output.name, hints.multiLabel),
    classes,
    dimensions: null,
    because: `one output of ${classes} numbers`,
  };
}

/** Numbers of ImageNet classes, with and without a background class, and of ImageNet-21k. */
const IMAGENET = new Set([1000, 1001, 21841, 21843]);
/** Common step of feature widths; lists of classes rarely have such a length. */
const WIDTH_STEP = 32;

/** Decides by the length and the values for two pictures, where no hints name classes. */
function mayBeEmbedding(count: number, answers: readonly Float32Array[]): boolean {
  if (count < MIN_EMBEDDING_LENGTH || IMAGENET.has(count)) return false;
  if (answers.length > 0 && answers.every(isShares)) return false;
  const isOfLengthOne = answers.length > 0 && answers.every((values) => Math.abs(lengthOf(values) - 1) < TOLERANCE);
  return isOfLengthOne || count % WIDTH_STEP === 0;
}

function answersOf({ tried }: Shape, output: string): Float32Array[] {
  return (tried?.answers ?? []).flatMap((answer) => answer[output]?.data ?? []);
}

function lengthOf(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0));
}

/** Multi-label outputs that the graph has already turned into scores are recognised by name alone. */
function decodingOf(output: string, multiLabel: boolean): ClassifierDecoding {
  if (!multiLabel) return 'softmax';
  return /^(probs?|probabilities|scores?|sigmoid)/i.test(output) ? 'scores' : 'sigmoid';
}
