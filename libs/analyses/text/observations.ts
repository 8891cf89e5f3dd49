import { PictureRef, type Box } from '@adit/contracts';
import { z } from 'zod';

/** One sighting of a line of text. */
const TextSighting = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /**
   * Corners of the rotated box, x and y in fractions of the displayed frame: where its text begins above, ends above,
   * ends below, begins below.
   */
  corners: z.array(z.number()).length(8),
  /** Detector's confidence that this is text, 0..1. */
  score: z.number(),
});
type TextSighting = z.infer<typeof TextSighting>;

/** One line of text followed through the frames of a unit. */
export const TextTrack = z.object({
  id: z.int().nonnegative(),
  /** Recognised text, with accents where the recognisers agree on them. */
  text: z.string(),
  /** The recogniser's mean confidence in its letters, 0..1. */
  confidence: z.number(),
  /** Height of the line in source pixels. */
  size: z.number(),
  /** Similarity of the line's appearance between samples, correlation, −1..1; 1 for a single sighting. */
  steadiness: z.number(),
  /** Change of the whole frame meanwhile: mean difference of its cells between samples, 0..255. */
  movement: z.number(),
  sightings: z.array(TextSighting).min(1),
  /** Picture of the line as it was read. */
  thumbnail: PictureRef.nullable(),
  /** Small picture of the whole frame it was read in; tracks of one frame share it. */
  keyFrame: z.object({ frame: z.int().nonnegative(), picture: PictureRef }).nullable(),
});
export type TextTrack = z.infer<typeof TextTrack>;

/** Observations of the analysis `text` for one unit: every legible line, unfiltered. */
export const TextObservations = z.object({
  /** Every analysed frame, so that an absence can be told from an unsampled interval. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  tracks: z.array(TextTrack),
});
export type TextObservations = z.infer<typeof TextObservations>;

/** Returns the upright box around a sighting's corners. */
export function uprightBox(corners: readonly number[]): Box {
  const along = (from: number): number[] => corners.filter((_, index) => index % 2 === from);
  const [across, down] = [along(0), along(1)];
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return { x, y, w: Math.max(...across) - x, h: Math.max(...down) - y };
}
