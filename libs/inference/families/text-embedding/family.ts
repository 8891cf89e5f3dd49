import { z } from 'zod';
import { defineFamily, DIMENSIONS, TEXT, type Finding } from '../family.js';
import { axesBehindBatch, outputNamed, type Shape } from '../graph.js';

/** Text encoders of a picture encoder, named like it with the suffix `-text`. */
export default defineFamily({
  name: 'text-embedding',
  task: 'text-embedding',
  decodings: [],
  uses: [{ module: 'object_scene_recognition', analysis: null }],
  needs: z.object({ text: TEXT, dimensions: DIMENSIONS }),
  precedence: 90,
  recognise,
});

function recognise(shape: Shape): Finding | null {
  const { inputs } = shape.outline;
  const tokens = inputs.find(({ name, type }) => name === 'input_ids' && type === 'int64');
  if (tokens === undefined || shape.picture !== null) return null;
  const kin = /^(CLIP|Siglip)/.test(shape.hints.task ?? '');
  const output = outputNamed(shape, /^text_embeds$/) ?? (kin ? outputNamed(shape, /^pooler_output$/) : undefined);
  const dimensions = axesBehindBatch(output, 1)?.[0] ?? null;
  if (output === undefined) return null;
  const mask = inputs.find(({ name }) => name === 'attention_mask')?.name ?? null;
  const length = axesBehindBatch(tokens, 1)?.[0] ?? null;
  const because = `tokens go in, ${output.name} comes out`;
  return { decoding: null, classes: null, dimensions, text: { tensor: tokens.name, mask, length }, because };
}
