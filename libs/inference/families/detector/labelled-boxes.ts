import type { Finding } from '../family.js';
import { axesBehindBatch, outputNamed, type Shape } from '../graph.js';

/** Number of classes in published RF-DETR models: COCO's numbers, up to 90. */
const COCO_NUMBERS = 91;
/** ImageNet statistics, for values of 0..255. */
const IMAGENET = { mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] };
/** Pictures are stretched to a square without antialiasing, as in training (rfdetr/detr.py, predict). */
const RF_DETR = { ...IMAGENET, resize: 'stretch', filter: 'bilinear', colour: 'rgb' } as const;

/** Recognises detectors with separate outputs for boxes, scores and classes, by the outputs' names. */
export function labelledBoxes(shape: Shape): Finding | null {
  return suppressed(shape) ?? tensorflow(shape) ?? boxesLabelsScores(shape) ?? dets(shape);
}

/** Exports with suppression in the graph, and a number of valid boxes. */
function suppressed(shape: Shape): Finding | null {
  const names = shape.outline.outputs.map(({ name }) => name).sort();
  const known = [
    ['det_boxes', 'det_classes', 'det_scores', 'num_dets'],
    ['boxes', 'labels', 'num_dets', 'scores'],
    ['num_predictions', 'pred_boxes', 'pred_classes', 'pred_scores'],
  ];
  if (!known.some((outputs) => outputs.join() === names.join())) return null;
  return found('end2end', labelsOf(shape), `outputs ${names.join(', ')}`);
}

/** TensorFlow's object detection API. */
function tensorflow(shape: Shape): Finding | null {
  const wanted = [/^detection_boxes/, /^detection_scores/, /^detection_classes/, /^num_detections/];
  if (!wanted.every((pattern) => outputNamed(shape, pattern))) return null;
  const because = 'outputs detection_boxes, detection_scores, detection_classes and num_detections';
  return found('ssd', labelsOf(shape), because);
}

/**
 * torchvision returns boxes, labels and scores without a batch and counts from 1, with the background as 0. D-FINE,
 * DEIM and others return them with a batch and count from 0. Labels seen in a trial take precedence.
 */
function boxesLabelsScores(shape: Shape): Finding | null {
  const wanted = [/^boxes$/, /^labels$/, /^scores$/];
  if (!wanted.every((pattern) => outputNamed(shape, pattern))) return null;
  const labels = outputNamed(shape, /^labels$/);
  // The outline of a graph without a batch has been given one.
  const isBatched = shape.picture?.isBatched === true && labels?.axes?.length === 2;
  const seen = seenLabels(shape);
  const fromZero =
    seen.includes(0) || (isBatched && !(labelsOf(shape) !== null && seen.includes(labelsOf(shape) ?? 0)));
  const because = `outputs boxes, labels and scores, with labels from ${fromZero ? 0 : 1} on`;
  return found(fromZero ? 'd-fine' : 'torchvision', labelsOf(shape), because);
}

/** Returns the class numbers that had a score. */
function seenLabels({ tried }: Shape): number[] {
  return (tried?.answers ?? []).flatMap(({ labels, scores }) =>
    [...(labels?.data ?? [])].filter((_, at) => (scores?.data[at] ?? 0) > 0),
  );
}

/** `dets` and `labels`: MMDeploy's boxes with a score and a class each, or RF-DETR's queries. */
function dets(shape: Shape): Finding | null {
  const boxes = axesBehindBatch(outputNamed(shape, /^dets$/), 2);
  const labels = outputNamed(shape, /^labels$/);
  if (boxes === null || labels === undefined) return null;
  if (boxes[1] === 5 && axesBehindBatch(labels, 1) !== null) {
    return found('mmdet', labelsOf(shape), 'outputs dets, of five numbers each, and labels');
  }
  const logits = axesBehindBatch(labels, 2);
  if (logits === null || (boxes[1] !== 4 && boxes[1] !== null)) return null;
  const columns = logits[1] ?? null;
  const isWhole = columns === null || columns === COCO_NUMBERS || columns === labelsOf(shape);
  const finding = found(
    'rf-detr',
    isWhole ? (columns ?? labelsOf(shape)) : columns - 1,
    'outputs dets and labels of RF-DETR',
  );
  const note = shape.outline.outputs.length > 2 ? { note: 'Its boxes are used, and its masks are left out.' } : {};
  return { ...finding, ...note, pixels: RF_DETR };
}

/** COCO numbers without a class. */
const COCO_GAPS = new Set([0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83]);

/**
 * Returns the labels of RF-DETR's classes: COCO's 80 or 90, as lists have them, at COCO's numbers; an extra last one is
 * the background.
 */
export function labelsOfRfDetr(labels: string[], classes: number | null): string[] {
  if (classes === COCO_NUMBERS) {
    if (labels.length === COCO_NUMBERS - 1) return ['N/A', ...labels];
    if (labels.length === COCO_NUMBERS - COCO_GAPS.size) {
      const rest = labels.values();
      return Array.from({ length: COCO_NUMBERS }, (_, number) =>
        COCO_GAPS.has(number) ? 'N/A' : (rest.next().value ?? 'N/A'),
      );
    }
  }
  return labels.length - 1 === classes ? labels.slice(0, -1) : labels;
}

function found(decoding: string, classes: number | null, because: string): Finding {
  return { decoding, classes, dimensions: null, because };
}

function labelsOf({ hints }: Shape): number | null {
  return hints.labels?.length ?? null;
}
