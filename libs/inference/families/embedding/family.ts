import { z } from 'zod';
import { refuseLength } from '../embedding-length.js';
import { defineFamily, DIMENSIONS, MAX_DISTANCE, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, MIN_EMBEDDING_LENGTH, type Shape } from '../graph.js';

/** Picture embeddings, where similar pictures are near each other. */
export default defineFamily({
  name: 'embedding',
  task: 'image-embedding',
  decodings: [],
  // Jobs name landmark models that were made with one.
  uses: [{ module: 'landmark_recognition', analysis: null }],
  needs: z.object({ input: PIXELS, dimensions: DIMENSIONS, maxDistance: MAX_DISTANCE }),
  alike: 'one place',
  precedence: 20,
  recognise,
  read: (answer, { dimensions }) => {
    refuseLength(answer, dimensions);
    return [];
  },
});

function recognise({ outline, picture }: Shape): Finding | null {
  if (picture === null || outline.outputs.length !== 1) return null;
  const dimensions = axesBehindBatch(outline.outputs[0], 1)?.[0] ?? null;
  if (dimensions === null || dimensions < MIN_EMBEDDING_LENGTH) return null;
  const because = `one output of ${dimensions} numbers, and nothing that names classes`;
  return { decoding: null, classes: null, dimensions, because };
}
