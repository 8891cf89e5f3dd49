import { z } from 'zod';
import { defineFamily, LABELS, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';

/** Characters that any alphabet has, with the blank of CTC. */
const FEWEST_CHARACTERS = 11;

/** Lines of a fixed height and any width, and for each step a number for each character (CTC). */
export default defineFamily({
  name: 'text-recognition',
  task: 'text-recognition',
  decodings: ['ctc'],
  uses: [],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 50,
  recognise,
  // The blank of CTC, and often a space, stand beside the characters that are listed.
  spareClasses: 2,
});

function recognise({ outline, picture }: Shape): Finding | null {
  if (picture?.height == null || picture.width !== null || picture.height > 64 || outline.outputs.length !== 1)
    return null;
  const [steps, characters] = axesBehindBatch(outline.outputs[0], 2) ?? [];
  if (steps !== null || characters == null || characters < FEWEST_CHARACTERS) return null;
  return {
    decoding: 'ctc',
    classes: characters,
    dimensions: null,
    because: `lines ${picture.height} pixels high go in, ${characters} characters with the blank come out`,
  };
}
