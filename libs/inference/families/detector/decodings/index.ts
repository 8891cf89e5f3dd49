import { z } from 'zod';
import { suppress } from '../../../box.js';
import type { Decoding, DetectorShape, FoundObject, Outputs } from './decoding.js';
import { nanodet } from './nanodet.js';
import { ssd, torchvision } from './ssd.js';
import { detr, rtDetr } from './transformer.js';
import { boxes, end2end, yolov5, yolov8, yolox } from './yolo.js';

/** Ways in which detectors write down what they found. */
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
};

/** Boxes that are compared with each other: a network whose scores mean nothing finds a hundred times as many. */
export const MOST_COMPARED = 4_096;
/** No box of one class is dropped for lying inside another: a child stands before its mother. */
const NEVER_CONTAINED = Infinity;

/**
 * A detector's outputs as boxes: best first, suppressed class by class, those below `minScore` left out, and those beyond
 * MOST_COMPARED. Throws RangeError when the outputs are not of a network of that shape.
 */
export function decodeObjects(
  name: DetectorDecoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  return readBoxes(DECODINGS[name], outputs, shape, minScore);
}

/** The same by a decoding at hand. */
export function readBoxes(
  { decode, maxOverlap }: Decoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  const found = surest(decode(outputs, shape, minScore));
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const kept =
    maxOverlap === null
      ? found
      : kinds.flatMap((kind) =>
          suppress(
            found.filter((box) => box.kind === kind),
            maxOverlap,
            NEVER_CONTAINED,
          ),
        );
  return kept.sort((a, b) => b.score - a.score || a.kind - b.kind);
}

function surest(found: FoundObject[]): FoundObject[] {
  return found.length <= MOST_COMPARED ? found : found.sort((a, b) => b.score - a.score).slice(0, MOST_COMPARED);
}
