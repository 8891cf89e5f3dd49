import type { PixelBox } from '../../../picture/affine.js';
import { boxOfCorners, isKind, outputOf, unlike, type Decoding, type FoundObject, type Outputs } from './decoding.js';
import { SurestBoxes } from './surest-boxes.js';

/**
 * TensorFlow's object detection API: detection_boxes as top, left, bottom, right in fractions of the picture, with a
 * score and a class (from 1) each; num_detections of them are valid. Suppression is part of the graph.
 */
export const ssd: Decoding = {
  maxOverlap: null,
  decode(outputs, { width, height, kinds }, minScore) {
    const output = (name: string) => outputOf(outputs, name, `${name}:0`);
    const scores = output('detection_scores').data;
    const numbers = { boxes: output('detection_boxes'), scores, classes: output('detection_classes').data };
    const count = output('num_detections').data[0] ?? 0;
    return numbered(numbers, count, kinds, minScore, ([top, left, bottom, right]) =>
      boxOfCorners(left * width, top * height, right * width, bottom * height),
    );
  },
};

/**
 * torchvision's detectors: boxes as left, top, right, bottom in pixels, labels from 1, scores. Suppression is part of
 * the graph.
 */
export const torchvision: Decoding = {
  maxOverlap: null,
  decode(outputs: Outputs, { kinds }, minScore): FoundObject[] {
    const scores = outputOf(outputs, 'scores').data;
    const numbers = { boxes: outputOf(outputs, 'boxes'), scores, classes: outputOf(outputs, 'labels').data };
    return numbered(numbers, scores.length, kinds, minScore, (corners) => boxOfCorners(...corners));
  },
};

/** D-FINE, DEIM and the original RT-DETR: the same outputs with a batch, and labels from 0. */
export const dFine: Decoding = {
  maxOverlap: null,
  decode(outputs: Outputs, { kinds }, minScore): FoundObject[] {
    const scores = outputOf(outputs, 'scores').data;
    const numbers = { boxes: outputOf(outputs, 'boxes'), scores, classes: outputOf(outputs, 'labels').data };
    return numbered(numbers, scores.length, kinds, minScore, (corners) => boxOfCorners(...corners), 0);
  },
};

/**
 * MMDetection and MMYOLO as MMDeploy exports them: dets with left, top, right, bottom in pixels and a score, labels
 * from 0.
 */
export const mmdet: Decoding = {
  maxOverlap: null,
  decode(outputs: Outputs, { kinds }, minScore): FoundObject[] {
    const dets = outputOf(outputs, 'dets');
    const labels = outputOf(outputs, 'labels');
    const { data, dims } = dets;
    if (dims.length !== 2 || dims[1] !== 5) throw unlike(dets, '[boxes, 5]');
    if (labels.data.length * 5 !== data.length) throw unlike(labels, `[${data.length / 5}]`);
    const found = new SurestBoxes(minScore);
    for (const [index, kind] of labels.data.entries())
      if (isKind(kind, kinds)) found.offer(data[index * 5 + 4] ?? 0, index);
    return found.read((index, score) => {
      const [left = 0, top = 0, right = 0, bottom = 0] = data.subarray(index * 5, index * 5 + 4);
      return { kind: labels.data[index] ?? -1, score, ...boxOfCorners(left, top, right, bottom) };
    });
  },
};

type Corners = [number, number, number, number];

/** Returns the boxes with a labelled class and a sufficient score. Classes are numbered from `first` on. */
function numbered(
  { boxes, scores, classes }: { boxes: Outputs[string]; scores: Float32Array; classes: Float32Array },
  count: number,
  kinds: number,
  minScore: number,
  boxOf: (corners: Corners) => PixelBox,
  first = 1,
): FoundObject[] {
  // torchvision's outputs have no batch, so their shape only states how many there are.
  if (boxes.data.length !== scores.length * 4) throw unlike(boxes, `[${scores.length}, 4]`);
  if (classes.length !== scores.length) {
    throw new RangeError(
      `The network has ${scores.length} scores and ${classes.length} classes; expected is one for each.`,
    );
  }
  const found = new SurestBoxes(minScore);
  const counted = scores.subarray(0, count);
  const kindOf = (index: number): number => (classes[index] ?? first - 1) - first;
  for (let index = 0; index < counted.length; index++) {
    if (isKind(kindOf(index), kinds)) found.offer(counted[index] ?? 0, index);
  }
  return found.read((index, score) => {
    const [a = 0, b = 0, c = 0, d = 0] = boxes.data.subarray(index * 4, index * 4 + 4);
    return { kind: kindOf(index), score, ...boxOf([a, b, c, d]) };
  });
}
