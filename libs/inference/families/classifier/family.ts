import { z } from 'zod';
import { defineFamily, LABELS, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, outputNamed, SHORTEST_EMBEDDING, type Shape } from '../graph.js';
import { ClassifierDecoding } from './decoding.js';

/** What a picture shows as a whole. */
export default defineFamily({
  name: 'classifier',
  task: 'image-classification',
  decodings: ClassifierDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'scenes' }],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 30,
  recognise,
});

/** A number for each class. Without anything that speaks of classes it is an embedding. */
function recognise(shape: Shape): Finding | null {
  const { outline, hints, picture } = shape;
  if (picture === null) return null;
  const output = outline.outputs.length === 1 ? outline.outputs[0] : outputNamed(shape, /^logits$/);
  const classes = axesBehindBatch(output, 1)?.[0] ?? null;
  if (output === undefined || classes === null || classes < 2) return null;
  const said =
    hints.labels?.length === classes ||
    /^(logits|probs?|probabilities|softmax|predictions?|classLabel)/i.test(output.name);
  // ImageNet's classes, with and without one for nothing; few numbers are no embedding.
  if (!said && classes !== 1000 && classes !== 1001 && classes >= SHORTEST_EMBEDDING) return null;
  return {
    decoding: decodingOf(output.name, hints.multiLabel),
    classes,
    dimensions: null,
    because: `one output of ${classes} numbers`,
  };
}

/** Of several that are right at once, those that the graph has made scores of already are told by their name alone. */
function decodingOf(output: string, multiLabel: boolean): ClassifierDecoding {
  if (!multiLabel) return 'softmax';
  return /^(probs?|probabilities|scores?|sigmoid)/i.test(output) ? 'scores' : 'sigmoid';
}
