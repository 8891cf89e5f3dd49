import { PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** A shot, as far as it lies in the unit, and what its middle frame shows in a sentence. */
const Caption = z.object({
  text: z.string(),
  /** The geometric mean of how likely each of its tokens is, 0..1. */
  confidence: z.number(),
  /** First and last sampled frame of the shot. */
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  /** The one that was described. */
  frame: z.int().nonnegative(),
  thumbnail: PictureRef,
  picture: PictureRef,
});

/** What the analysis `captions` writes down for one unit. */
export const CaptionObservations = z.object({
  /** Frames counted from the start of the source, 0 for images; seconds from its first frame. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  /** In the order of frames; a shot that the model says nothing of has none. */
  captions: z.array(Caption),
});
export type CaptionObservations = z.infer<typeof CaptionObservations>;
