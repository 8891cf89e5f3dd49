import { z } from 'zod';
import { defineFamily, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, SHORTEST_EMBEDDING, type Shape } from '../graph.js';

/** A picture as numbers that are near to those of pictures that look alike. */
export default defineFamily({
  name: 'embedding',
  task: 'image-embedding',
  decodings: [],
  uses: [],
  needs: z.object({ input: PIXELS }),
  precedence: 20,
  recognise,
});

function recognise({ outline, picture }: Shape): Finding | null {
  if (picture === null || outline.outputs.length !== 1) return null;
  const dimensions = axesBehindBatch(outline.outputs[0], 1)?.[0] ?? null;
  if (dimensions === null || dimensions < SHORTEST_EMBEDDING) return null;
  const because = `one output of ${dimensions} numbers, and nothing that names classes`;
  return { decoding: null, classes: null, dimensions, because };
}
