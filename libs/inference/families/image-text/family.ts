import { z } from 'zod';
import { defineFamily, DIMENSIONS, PIXELS, SIMILARITY, type Finding } from '../family.js';
import { axesBehindBatch, outputNamed, type Shape } from '../graph.js';
import { comparable, ImageTextDecoding } from './similarity.js';

/** Picture encoders whose embeddings are comparable with those of texts. The text encoder is a separate model. */
export default defineFamily({
  name: 'image-text',
  task: 'zero-shot-image-classification',
  decodings: ImageTextDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'scenes' }],
  needs: z.object({ input: PIXELS, similarity: SIMILARITY, dimensions: DIMENSIONS }),
  precedence: 90,
  recognise,
  read: (answer, { dimensions }) => {
    comparable('that was given', answer, dimensions);
    return [];
  },
});

/** Exports of CLIP have `image_embeds`; those of SigLIP are recognised by Hugging Face's files beside the graph. */
function recognise(shape: Shape): Finding | null {
  const { outline, hints } = shape;
  const siglip = /^Siglip/.test(hints.task ?? '');
  const output = outputNamed(shape, /^image_embeds$/) ?? (siglip ? outputNamed(shape, /^pooler_output$/) : undefined);
  if (output === undefined || shape.picture === null) return null;
  const dimensions = axesBehindBatch(output, 1)?.[0] ?? null;
  if (outline.inputs.length > 1) {
    const because = 'encoders of pictures and of text in one graph; each has to be a file of its own';
    return { decoding: null, classes: null, dimensions, because };
  }
  const because = `a picture goes in, ${output.name} comes out`;
  return { decoding: siglip ? 'siglip' : 'clip', classes: null, dimensions, because };
}
