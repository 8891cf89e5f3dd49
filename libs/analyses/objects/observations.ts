import { Box, PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** One sighting of an object. */
const ObjectSighting = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /** Fractions of the displayed frame. */
  box: Box,
  /** Score of the network, 0..1; modules calibrate it. */
  score: z.number(),
});
type ObjectSighting = z.infer<typeof ObjectSighting>;

/** One object followed through the frames of a unit. */
export const ObjectTrack = z.object({
  id: z.int().nonnegative(),
  /** One of the network's `labels`. */
  label: z.string(),
  sightings: z.array(ObjectSighting).min(1),
  /** Share of its box that one face covers in the best view, 0..1; null where it was not checked. */
  face: z.number().min(0).max(1).nullable().default(null),
  /** Crop of the best view; null where no view was good enough. */
  thumbnail: PictureRef.nullable(),
  /** Small picture of the best view's whole frame; tracks of one frame share it. */
  keyFrame: z.object({ frame: z.int().nonnegative(), picture: PictureRef }).nullable(),
});
export type ObjectTrack = z.infer<typeof ObjectTrack>;

/** Observations of the analysis `objects` for one unit: every object down to a low score. */
export const ObjectObservations = z.object({
  /** Every analysed frame, so that an absence can be told from an unsampled interval. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  tracks: z.array(ObjectTrack),
});
export type ObjectObservations = z.infer<typeof ObjectObservations>;
