import { z } from 'zod';
import { defineFamily, LABELS, PIXELS } from '../family.js';
import { decodeObjects, DetectorDecoding, NAMING_CLASSES } from './decodings/index.js';
import { labelsOfRfDetr } from './labelled-boxes.js';
import { recogniseDetector } from './recognise.js';

/** Upper bound of any detector's number of classes. */
const MAX_KINDS = 1_000_000;
/** Scores below are padding of lists. */
const MIN_SCORE = 0.01;

/** Object detectors with boxes. */
export default defineFamily({
  name: 'detector',
  task: 'object-detection',
  decodings: DetectorDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'objects' }],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 70,
  recognise: recogniseDetector,
  read: (answer, { decoding, labels: kinds, ...size }, minScore) =>
    decodeObjects(DetectorDecoding.parse(decoding), answer, { ...size, kinds }, minScore).map(
      ({ kind, score, x, y, w, h }) => ({ kind, score, box: { x, y, w, h } }),
    ),
  strangeKind: (answer, { decoding, labels, ...size }) => {
    if (!NAMING_CLASSES.has(decoding)) return null;
    const any = { ...size, kinds: MAX_KINDS };
    const found = decodeObjects(DetectorDecoding.parse(decoding), answer, any, MIN_SCORE);
    return found.find(({ kind }) => kind >= labels)?.kind ?? null;
  },
  labelsOf: (labels, decoding, classes) => {
    if (decoding === 'rf-detr') return labelsOfRfDetr(labels, classes);
    return numberedFromOne(decoding) ? withoutBackground(labels) : labels;
  },
});

function numberedFromOne(decoding: string): boolean {
  return decoding === 'ssd' || decoding === 'torchvision';
}

/**
 * Drops the background label: where classes are numbered from 1 on, the first label is that of class 1, as lists
 * disagree about class 0.
 */
function withoutBackground(labels: string[]): string[] {
  return /^_*background_*$/i.test(labels[0] ?? '') ? labels.slice(1) : labels;
}
