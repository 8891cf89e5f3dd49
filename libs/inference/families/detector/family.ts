import { z } from 'zod';
import { defineFamily, LABELS, PIXELS } from '../family.js';
import { DetectorDecoding } from './decodings/index.js';
import { recogniseDetector } from './recognise.js';

/** Things with boxes. */
export default defineFamily({
  name: 'detector',
  task: 'object-detection',
  decodings: DetectorDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'objects' }],
  needs: z.object({ input: PIXELS, labels: LABELS }),
  precedence: 70,
  recognise: recogniseDetector,
  labelsOf: (labels, decoding) => (numberedFromOne(decoding) ? withoutBackground(labels) : labels),
});

function numberedFromOne(decoding: string): boolean {
  return decoding === 'ssd' || decoding === 'torchvision';
}

/** Where classes are numbered from 1 on, the first label is that of class 1, as lists of labels do not agree about class 0. */
function withoutBackground(labels: string[]): string[] {
  return /^_*background_*$/i.test(labels[0] ?? '') ? labels.slice(1) : labels;
}
