import type { ClassifierDecoding } from '@adit/contracts';
import { axesBehindBatch, outputNamed, type Recogniser } from './finding.js';

/** Characters that any alphabet has, with the blank of CTC. */
const FEWEST_CHARACTERS = 11;
/** An embedding has at least so many numbers; below it, outputs are classes or measures. */
const SHORTEST_EMBEDDING = 64;

/** A map of where text is, as large as the picture or a part of it. */
export const textDetection: Recogniser = ({ outline, picture }) => {
  if (picture === null || picture.height !== null || picture.width !== null || outline.outputs.length !== 1)
    return null;
  if (axesBehindBatch(outline.outputs[0], 3)?.[0] !== 1) return null;
  return {
    family: 'text-detection',
    decoding: 'db',
    classes: null,
    dimensions: null,
    because: 'pictures of any size go in, one map comes out',
  };
};

/** Lines of a fixed height and any width, and for each step a number for each character (CTC). */
export const textRecognition: Recogniser = ({ outline, picture }) => {
  if (picture?.height == null || picture.width !== null || picture.height > 64 || outline.outputs.length !== 1)
    return null;
  const [steps, characters] = axesBehindBatch(outline.outputs[0], 2) ?? [];
  if (steps !== null || characters == null || characters < FEWEST_CHARACTERS) return null;
  return {
    family: 'text-recognition',
    decoding: 'ctc',
    classes: characters,
    dimensions: null,
    because: `lines ${picture.height} pixels high go in, ${characters} characters with the blank come out`,
  };
};

/** A number for each class. Without anything that speaks of classes it is an embedding. */
export const classifier: Recogniser = ({ outline, hints, picture }) => {
  if (picture === null) return null;
  const output =
    outline.outputs.length === 1 ? outline.outputs[0] : outputNamed({ outline, hints, picture }, /^logits$/);
  const classes = axesBehindBatch(output, 1)?.[0] ?? null;
  if (output === undefined || classes === null || classes < 2) return null;
  const said =
    hints.labels?.length === classes ||
    /^(logits|probs?|probabilities|softmax|predictions?|classLabel)/i.test(output.name);
  // ImageNet's classes, with and without one for nothing; few numbers are no embedding.
  if (!said && classes !== 1000 && classes !== 1001 && classes >= SHORTEST_EMBEDDING) return null;
  return {
    family: 'classifier',
    decoding: decodingOf(output.name, hints.multiLabel),
    classes,
    dimensions: null,
    because: `one output of ${classes} numbers`,
  };
};

/** Of several that are right at once, those that the graph has made scores of already are told by their name alone. */
function decodingOf(output: string, multiLabel: boolean): ClassifierDecoding {
  if (!multiLabel) return 'softmax';
  return /^(probs?|probabilities|scores?|sigmoid)/i.test(output) ? 'scores' : 'sigmoid';
}

export const embedding: Recogniser = ({ outline, picture }) => {
  if (picture === null || outline.outputs.length !== 1) return null;
  const dimensions = axesBehindBatch(outline.outputs[0], 1)?.[0] ?? null;
  if (dimensions === null || dimensions < SHORTEST_EMBEDDING) return null;
  const because = `one output of ${dimensions} numbers, and nothing that names classes`;
  return { family: 'embedding', decoding: null, classes: null, dimensions, because };
};
