import { z } from 'zod';
import { defineFamily, PIXELS, type Finding } from '../family.js';
import { axesBehindBatch, type Shape } from '../graph.js';
import { decodeFaces, FaceDecoding } from './decodings/index.js';

/** Face detectors with boxes, most with points. */
export default defineFamily({
  name: 'face-detector',
  task: 'face-detection',
  decodings: FaceDecoding.options,
  uses: [{ module: 'object_scene_recognition', analysis: 'objects' }],
  needs: z.object({ input: PIXELS }),
  precedence: 80,
  recognise,
  read: (answer, { decoding, ...size }, minScore) =>
    decodeFaces(FaceDecoding.parse(decoding), answer, { ...size, kinds: 1 }, minScore).map(
      ({ kind, score, x, y, w, h }) => ({ kind, score, box: { x, y, w, h } }),
    ),
});

/** Recognises them by the names and shapes of their outputs. */
function recognise(shape: Shape): Finding | null {
  if (shape.picture === null) return null;
  const { outputs } = shape.outline;
  const names = outputs.map(({ name }) => name);
  if (['cls_8', 'obj_8', 'bbox_8', 'kps_8'].every((name) => names.includes(name))) {
    return found('yunet', 'outputs cls, obj, bbox and kps at three strides');
  }
  const widths = outputs.map((output) => axesBehindBatch(output, 2)?.[1] ?? output.axes?.at(-1) ?? null);
  const has = (count: number, width: number): boolean => widths.filter((each) => each === width).length === count;
  if (outputs.length === 9 && has(3, 1) && has(3, 4) && has(3, 10)) {
    return found('scrfd', 'scores, boxes and five points at three strides');
  }
  if (outputs.length === 3 && has(1, 2) && has(1, 4) && has(1, 10)) {
    return found('retinaface', 'one output each of boxes, scores and five points');
  }
  if (outputs.length === 2 && has(1, 2) && has(1, 4) && sameRows(shape)) {
    return found('ultraface', 'one output each of two scores and of boxes');
  }
  return blazeface(shape);
}

/** MediaPipe's: regressors of 16 numbers (a box and six points) with a score each, for 896 or 2304 anchors. */
function blazeface({ outline: { outputs } }: Shape): Finding | null {
  const regressors = outputs.filter((output) => axesBehindBatch(output, 2)?.[1] === 16);
  const scores = outputs.filter((output) => axesBehindBatch(output, 2)?.[1] === 1);
  if (regressors.length === 0 || regressors.length !== scores.length) return null;
  const rows = regressors.reduce((sum, output) => sum + (axesBehindBatch(output, 2)?.[0] ?? 0), 0);
  if (rows !== 896 && rows !== 2304) return null;
  return found('blazeface', `${rows} anchors with a box, six points and a score each`);
}

function sameRows(shape: Shape): boolean {
  const [a, b] = shape.outline.outputs.map((output) => axesBehindBatch(output, 2)?.[0] ?? null);
  return a === b && a !== null;
}

function found(decoding: string, because: string): Finding {
  return { decoding, classes: null, dimensions: null, because };
}
