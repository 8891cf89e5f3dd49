import { z } from 'zod';
import { defineFamily, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';

/** Text detectors: a map of text, as large as the picture or a fraction of it. */
export default defineFamily({
  name: 'text-detection',
  task: 'text-detection',
  decodings: ['db'],
  uses: [{ module: 'lower_third_recognition', analysis: 'text' }],
  needs: z.object({ input: PIXELS }),
  precedence: 40,
  recognise,
  read: (answer) => {
    const [map] = Object.values(answer);
    const isMap = map !== undefined && (map.dims.length === 2 || (map.dims.length === 3 && map.dims[0] === 1));
    if (isMap) return [];
    throw new RangeError(
      `Its output is ${map === undefined ? 'none' : `[${map.dims.join(', ')}]`}; expected is one map.`,
    );
  },
  // Usual shape of films, in steps of the 32 pixels that such networks downsample by.
  usual: { width: 960, height: 544, resize: 'letterbox' },
});

/** Many networks return a map, so one for pictures of a fixed size has to be named as text detection. */
function recognise({ outline, hints, picture }: Shape): Finding | null {
  if (picture === null || outline.outputs.length !== 1) return null;
  if (axesBehindBatch(outline.outputs[0], 3)?.[0] !== 1) return null;
  const isOpen = picture.height === null && picture.width === null;
  if (!isOpen && hints.task !== 'text-detection') return null;
  const because = `pictures${isOpen ? ' of any size' : ''} go in, one map comes out`;
  return { decoding: 'db', classes: null, dimensions: null, because };
}
