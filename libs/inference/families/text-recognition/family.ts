import { z } from 'zod';
import { defineFamily, LABELS, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';
import { alphabetOf, CtcDecoding } from './decoding.js';

/** Fewest characters of any alphabet, with the blank of CTC. */
const MIN_CHARACTERS = 11;
/** The blank of CTC, and often a space, in addition to the listed characters. */
const SPARE = 2;

/** Text recognisers: lines of a fixed height, and for each step a number per character (CTC). */
export default defineFamily({
  name: 'text-recognition',
  task: 'text-recognition',
  decodings: CtcDecoding.options,
  uses: [{ module: 'lower_third_recognition', analysis: 'text' }],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 50,
  recognise,
  read: (answer, { labels }) => {
    const [steps] = Object.values(answer);
    if (steps?.dims.length === 2 && steps.dims[1] === labels) return [];
    const shape = steps === undefined ? 'none' : `[${steps.dims.join(', ')}]`;
    throw new RangeError(
      `Its output is ${shape}; expected is [steps, ${labels}] for as many characters, with the blank.`,
    );
  },
  spareClasses: SPARE,
  labelsOf: (labels, decoding, classes) => alphabetOf(labels, CtcDecoding.parse(decoding), classes),
  usual: { width: 320, openWidth: true, resize: 'letterbox' },
});

/** Recognises lines of any width, or of a fixed one where hints state the number of characters. */
function recognise({ outline, hints, picture }: Shape): Finding | null {
  // The exporter's hints state the line height if all axes are open.
  const height = picture?.height ?? (hints.task === 'text-recognition' ? hints.height : null);
  if (picture === null || height === null || height > 64 || outline.outputs.length !== 1) return null;
  const [steps, characters] = axesBehindBatch(outline.outputs[0], 2) ?? [];
  if (steps === undefined || characters == null || characters < MIN_CHARACTERS) return null;
  const spare = characters - (hints.labels?.length ?? 0);
  if (picture.width !== null && !(spare >= 0 && spare <= SPARE)) return null;
  return {
    decoding: 'ctc',
    classes: characters,
    dimensions: null,
    because: `lines ${height} pixels high go in, ${characters} characters with the blank come out`,
  };
}
