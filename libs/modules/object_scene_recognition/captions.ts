import type { CaptionObservations } from '@adit/analyses/captions/observations';
import { NO_PORTRAIT } from '@adit/module-kit';
import type { Seen } from './seen-by-frame.js';

/**
 * Returns the caption of each sampled frame of a unit: the sentence of its shot, whatever its confidence. Sentences are
 * in no dictionary.
 */
export function captionsByFrame({ sampled, captions }: CaptionObservations): Map<number, Seen[]> {
  const byFrame = new Map<number, Seen[]>();
  for (const { text: label, confidence, from, to, frame: described, thumbnail, picture } of captions) {
    const keyFrame = { frame: described, picture };
    for (const { frame } of sampled) {
      if (frame < from || frame > to) continue;
      const portrait = frame === described ? { rank: confidence, thumbnail, keyFrame } : NO_PORTRAIT;
      byFrame.set(frame, [{ type: 'caption', label, box: null, confidence, sure: true, portrait }]);
    }
  }
  return byFrame;
}
