import { z } from 'zod';
import { defineFamily, type Finding } from '../family.js';
import { outputNamed, type Shape } from '../graph.js';

/** Sound encoders that belong to a text decoder. */
export default defineFamily({
  name: 'speech',
  task: 'speech-recognition',
  decodings: ['whisper'],
  uses: [],
  needs: z.object({}),
  precedence: 90,
  recognise,
});

function recognise(shape: Shape): Finding | null {
  if (!shape.outline.inputs.some(({ name }) => name === 'input_features')) return null;
  if (!outputNamed(shape, /^(last_hidden_state|encoder_hidden_states)$/)) return null;
  return { decoding: 'whisper', classes: null, dimensions: null, because: 'an input input_features' };
}
