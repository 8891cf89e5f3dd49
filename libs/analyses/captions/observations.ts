import { PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** A shot, as far as it lies in the unit, and a sentence about its middle frame. */
const Caption = z.object({
  text: z.string(),
  /** Geometric mean of its tokens' probabilities, 0..1. */
  confidence: z.number(),
  /** First and last sampled frame of the shot. */
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  /** The described frame. */
  frame: z.int().nonnegative(),
  thumbnail: PictureRef,
  picture: PictureRef,
});

/** Observations of the analysis `captions` for one unit. */
export const CaptionObservations = z.object({
  /** Frames counted from the start of the source, 0 for images; seconds from its first frame. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  /** In the order of frames; a shot without a description is missing. */
  captions: z.array(Caption),
});
export type CaptionObservations = z.infer<typeof CaptionObservations>;
