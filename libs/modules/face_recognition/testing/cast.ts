import type { Segment } from '@adit/module-kit';
import { galleryOf } from './scenes.js';

export const [ANN, BOB, EVE, FAY] = [1, 2, 3, 4];

export const TEAM = galleryOf('team', { Ann: ANN, Bob: BOB });

export function brief(segments: Segment[]) {
  return segments.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd]);
}
