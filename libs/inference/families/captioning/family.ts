import { z } from 'zod';
import { defineFamily, PIXELS, type Finding } from '../family.js';
import { outputNamed, type Shape } from '../graph.js';

/** Picture encoders whose output a text decoder describes. The decoder is a separate model. */
export default defineFamily({
  name: 'captioning',
  task: 'image-to-text',
  decodings: [],
  uses: [{ module: 'object_scene_recognition', analysis: 'captions' }],
  needs: z.object({ input: PIXELS }),
  precedence: 90,
  recognise,
});

/**
 * Any network of pictures has such an output, so captioning encoders are recognised by Hugging Face's files beside the
 * graph.
 */
function recognise(shape: Shape): Finding | null {
  const output = outputNamed(shape, /^last_hidden_state$/);
  if (shape.picture === null || output === undefined) return null;
  if (!/^(VisionEncoderDecoder|Blip(ForConditionalGeneration)?$|Git)/.test(shape.hints.task ?? '')) return null;
  const because = `the encoder of a ${shape.hints.task}: a picture goes in, ${output.name} comes out`;
  return { decoding: null, classes: null, dimensions: null, because };
}
