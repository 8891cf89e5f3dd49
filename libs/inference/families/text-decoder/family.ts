import { z } from 'zod';
import { defineFamily, WRITING, type Finding } from '../family.js';
import type { Shape } from '../graph.js';
import { decoderLayout } from './layout.js';

/** Text decoders of a picture encoder, named like it with the suffix `-decoder`. */
export default defineFamily({
  name: 'text-decoder',
  task: 'text-generation',
  decodings: [],
  uses: [{ module: 'object_scene_recognition', analysis: null }],
  needs: z.object({ writing: WRITING }),
  precedence: 90,
  recognise,
});

/** Speech decoders take further inputs and are not recognised here. */
function recognise({ outline, hints, picture }: Shape): Finding | null {
  if (picture !== null || /^(Whisper|Speech)/.test(hints.task ?? '')) return null;
  const layout = decoderLayout(outline);
  if (layout === null) return null;
  const because =
    typeof layout === 'string'
      ? layout
      : `tokens and ${layout.encoded} go in, logits come out, ${layout.cache.length > 0 ? 'with' : 'without'} a cache`;
  return { decoding: null, classes: null, dimensions: null, writes: true, because };
}
