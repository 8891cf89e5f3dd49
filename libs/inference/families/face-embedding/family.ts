import { z } from 'zod';
import { refuseLength } from '../embedding-length.js';
import { defineFamily, DIMENSIONS, MAX_DISTANCE, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';

/** Side of the aligned crop that ArcFace and its relatives take. */
const ALIGNED = 112;

/** Embeddings of aligned faces, near each other for the same person. */
export default defineFamily({
  name: 'face-embedding',
  task: 'face-embedding',
  decodings: ['arcface'],
  // Jobs name galleries that were made with one.
  uses: [{ module: 'face_recognition', analysis: null }],
  needs: z.object({ input: PIXELS, dimensions: DIMENSIONS, maxDistance: MAX_DISTANCE }),
  alike: 'one person',
  // The face is already aligned to the input size.
  usual: { resize: 'stretch' },
  precedence: 60,
  recognise,
  read: (answer, { dimensions }) => {
    refuseLength(answer, dimensions);
    return [];
  },
});

function recognise({ outline, picture }: Shape): Finding | null {
  if (picture?.width !== ALIGNED || picture.height !== ALIGNED || outline.outputs.length !== 1) return null;
  const dimensions = axesBehindBatch(outline.outputs[0], 1)?.[0] ?? null;
  if (dimensions === null || dimensions < 64 || dimensions > 1024) return null;
  const because = `a face of ${ALIGNED} × ${ALIGNED} goes in, ${dimensions} numbers come out`;
  return { decoding: 'arcface', classes: null, dimensions, because };
}
