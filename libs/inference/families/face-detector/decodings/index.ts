import { z } from 'zod';
import type { Decoding, DetectorShape, FoundObject, Outputs } from '../../detector/decodings/decoding.js';
import { readBoxes } from '../../detector/decodings/index.js';
import { blazeface, retinaface, ultraface } from './anchors.js';
import { scrfd, yunet } from './grids.js';

/** Ways in which detectors of faces write down what they found. */
export const FaceDecoding = z.enum(['scrfd', 'retinaface', 'yunet', 'blazeface', 'ultraface']);
export type FaceDecoding = z.infer<typeof FaceDecoding>;

const DECODINGS: Record<FaceDecoding, Decoding> = { scrfd, retinaface, yunet, blazeface, ultraface };

/** As `decodeObjects`, of networks that know faces alone: their one class is 0. */
export function decodeFaces(
  name: FaceDecoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  return readBoxes(DECODINGS[name], outputs, shape, minScore);
}
