import { Box, PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** One look at an object. */
const ObjectSighting = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /** Fractions of the displayed frame. */
  box: Box,
  /** The network's own score, 0..1; how much it is worth is the module's to say. */
  score: z.number(),
});
type ObjectSighting = z.infer<typeof ObjectSighting>;

/** One object followed through the frames of a unit. */
export const ObjectTrack = z.object({
  id: z.int().nonnegative(),
  /** What it is, in the words of the network's `labels`. */
  label: z.string(),
  sightings: z.array(ObjectSighting).min(1),
  /** How much of its box one face covers in the best view, 0..1; null where nobody looked. */
  face: z.number().min(0).max(1).nullable().default(null),
  /** Crop of the best view; null where no view was good enough to be worth a picture. */
  thumbnail: PictureRef.nullable(),
  /** The whole frame of the best view, small; tracks of one frame share it. */
  keyFrame: z.object({ frame: z.int().nonnegative(), picture: PictureRef }).nullable(),
});
export type ObjectTrack = z.infer<typeof ObjectTrack>;

/** What the analysis `objects` writes down for one unit: every object down to a low score. */
export const ObjectObservations = z.object({
  /** Every frame looked at, so that a gap of absence differs from a gap of looking. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  tracks: z.array(ObjectTrack),
});
export type ObjectObservations = z.infer<typeof ObjectObservations>;
