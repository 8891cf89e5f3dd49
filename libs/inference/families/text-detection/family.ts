import { z } from 'zod';
import { defineFamily, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';

/** A map of where text is, as large as the picture or a part of it. */
export default defineFamily({
  name: 'text-detection',
  task: 'text-detection',
  decodings: ['db'],
  uses: [],
  needs: z.object({ input: PIXELS }),
  precedence: 40,
  recognise,
});

function recognise({ outline, picture }: Shape): Finding | null {
  if (picture === null || picture.height !== null || picture.width !== null || outline.outputs.length !== 1)
    return null;
  if (axesBehindBatch(outline.outputs[0], 3)?.[0] !== 1) return null;
  const because = 'pictures of any size go in, one map comes out';
  return { decoding: 'db', classes: null, dimensions: null, because };
}
