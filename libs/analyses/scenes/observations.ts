import { PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** One sampled frame, or a photo, with its likeliest scenes, the likeliest first. */
const ClassifiedFrame = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /** `label` is one of the network's `labels`, `score` 0..1. */
  scenes: z.array(z.object({ label: z.string(), score: z.number() })),
});
type ClassifiedFrame = z.infer<typeof ClassifiedFrame>;

/** The frame of a unit that shows a scene best. */
const SceneView = z.object({
  label: z.string(),
  frame: z.int().nonnegative(),
  thumbnail: PictureRef,
  picture: PictureRef,
});
type SceneView = z.infer<typeof SceneView>;

/** Observations of the analysis `scenes` for one unit. */
export const SceneObservations = z.object({
  sampled: z.array(ClassifiedFrame),
  /** One per label that was ever likely. */
  views: z.array(SceneView),
});
export type SceneObservations = z.infer<typeof SceneObservations>;
