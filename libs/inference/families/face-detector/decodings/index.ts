import { z } from 'zod';
import type { Decoding, DetectorShape, FoundObject, Outputs } from '../../detector/decodings/decoding.js';
import { readBoxes } from '../../detector/decodings/index.js';
import { blazeface, retinaface, ultraface } from './anchors.js';
import { scrfd, yunet } from './grids.js';

/** Output formats of face detectors. */
export const FaceDecoding = z.enum(['scrfd', 'retinaface', 'yunet', 'blazeface', 'ultraface']);
export type FaceDecoding = z.infer<typeof FaceDecoding>;

const DECODINGS: Record<FaceDecoding, Decoding> = { scrfd, retinaface, yunet, blazeface, ultraface };

/** Decodes as `decodeObjects`, for networks with the single class 0, faces. */
export function decodeFaces(
  name: FaceDecoding,
  outputs: Outputs,
  shape: DetectorShape,
  minScore: number,
): FoundObject[] {
  return readBoxes(DECODINGS[name], outputs, shape, minScore);
}
