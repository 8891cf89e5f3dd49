import type { SceneObservations } from '@adit/analyses/scenes/observations';
import { NO_PORTRAIT } from '@adit/module-kit';
import type { Naming } from './labels.js';
import type { Seen } from './seen-by-frame.js';

/** Returns the scenes of each sampled frame of a unit, where the classifier is sure enough. */
export function scenesByFrame(
  { sampled, views }: SceneObservations,
  minConfidence: number,
  naming: Naming,
): Map<number, Seen[]> {
  const shown = new Map(views.map((view) => [view.label, view]));
  const byFrame = new Map<number, Seen[]>();
  for (const { frame, scenes } of sampled) {
    const seen = scenes.flatMap(({ label: kind, score: confidence }): Seen[] => {
      const label = confidence < minConfidence ? null : naming(kind);
      if (label === null) return [];
      const view = shown.get(kind);
      const portrait =
        view?.frame === frame
          ? { rank: confidence, thumbnail: view.thumbnail, keyFrame: { frame, picture: view.picture } }
          : NO_PORTRAIT;
      return [{ type: 'scene', label, box: null, confidence, sure: true, portrait }];
    });
    if (seen.length > 0) byFrame.set(frame, seen);
  }
  return byFrame;
}
