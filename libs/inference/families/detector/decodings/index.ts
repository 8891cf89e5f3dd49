import { z } from 'zod';
import { suppress } from '../../../picture/box.js';
import type { Decoding, DetectorShape, FoundObject, Outputs } from './decoding.js';
import { nanodet } from './nanodet.js';
import { dFine, mmdet, ssd, torchvision } from './ssd.js';
import { detr, rfDetr, rtDetr } from './transformer.js';
import {
  boxes,
  boxesPose,
  boxesSegment,
  end2end,
  ultralyticsRtDetr,
  ultralyticsRtDetrScores,
  yolov5,
  yolov5Segment,
  yolov8,
  yolov8Pose,
  yolov8Segment,
  yolox,
} from './yolo.js';

/** Output formats of detectors. */
export const DetectorDecoding = z.enum([
  'nanodet',
  'yolov5',
  'yolov8',
  'yolox',
  'boxes',
  'end2end',
  'detr',
  'rt-detr',
  'ssd',
  'torchvision',
  'd-fine',
  'mmdet',
  'rf-detr',
  'ultralytics-rtdetr',
  'ultralytics-rtdetr-scores',
  'yolov8-pose',
  'yolov8-segment',
  'yolov5-segment',
  'boxes-pose',
  'boxes-segment',
]);
export type DetectorDecoding = z.infer<typeof DetectorDecoding>;

const DECODINGS: Record<DetectorDecoding, Decoding> = {
  nanodet,
  yolov5,
  yolov8,
  yolox,
  boxes,
  end2end,
  detr,
  'rt-detr': rtDetr,
  ssd,
  torchvision,
  'd-fine': dFine,
  mmdet,
  'rf-detr': rfDetr,
  'ultralytics-rtdetr': ultralyticsRtDetr,
  'ultralytics-rtdetr-scores': ultralyticsRtDetrScores,
  'yolov8-pose': yolov8Pose,
  'yolov8-segment': yolov8Segment,
  'yolov5-segment': yolov5Segment,
  'boxes-pose': boxesPose,
  'boxes-segment': boxesSegment,
};

/** Decodings whose outputs hold class numbers, whatever the labels. */
export const NAMING_CLASSES: ReadonlySet<string> = new Set<DetectorDecoding>([
  ...(['boxes', 'boxes-pose', 'boxes-segment', 'ultralytics-rtdetr'] as const),
  ...(['end2end', 'ssd', 'torchvision', 'd-fine', 'mmdet'] as const),
]);

/** A box inside another of its class is kept: a child stands in front of its mother. */
const NEVER_CONTAINED = Infinity;

/**
 * Decodes a detector's outputs to boxes: best first, suppressed per class, without those below `minScore` and those
 * beyond MAX_COMPARED (`SurestBoxes`). Throws RangeError when the outputs do not fit the shape.
 */
export function decodeObjects(
  name: DetectorDecoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  return readBoxes(DECODINGS[name], outputs, shape, minScore);
}

/** Decodes with a given decoding. */
export function readBoxes(
  { decode, maxOverlap }: Decoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  const found = decode(outputs, shape, minScore);
  const kept =
    maxOverlap === null
      ? found
      : [...byKind(found).values()].flatMap((boxes) => suppress(boxes, maxOverlap, NEVER_CONTAINED));
  return kept.sort((a, b) => b.score - a.score || a.kind - b.kind);
}

function byKind(found: readonly FoundObject[]): Map<number, FoundObject[]> {
  const groups = new Map<number, FoundObject[]>();
  for (const box of found) {
    const group = groups.get(box.kind);
    if (group === undefined) groups.set(box.kind, [box]);
    else group.push(box);
  }
  return groups;
}
