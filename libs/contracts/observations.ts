import { z } from 'zod';
import { FrameInterval, MediaFacts } from './media.js';

/**
 * The smallest thing observations are cached for: one film interval or one whole image. A chunk of video is one unit,
 * a chunk of images one per picture.
 */
export const Unit = z.object({
  sourceIndex: z.int().nonnegative(),
  /** SHA-256 of the source's bytes. */
  mediaDigest: z.string(),
  facts: MediaFacts,
  /** Null for a whole image. */
  interval: FrameInterval.nullable(),
});
export type Unit = z.infer<typeof Unit>;

/** What an analysis wrote down for one unit: the key of a JSON object in the store, or why there is none. */
export const UnitOutcome = z.object({
  sourceIndex: z.int().nonnegative(),
  observations: z.string().nullable(),
  error: z.string().nullable(),
});
export type UnitOutcome = z.infer<typeof UnitOutcome>;

/** A picture kept with the observations (best view of a face, key frame): key of a JPEG in the object store. */
export const PictureRef = z.object({ key: z.string(), width: z.int().positive(), height: z.int().positive() });
export type PictureRef = z.infer<typeof PictureRef>;

/** Fractions of the displayed frame, 0..1, from its top left corner. */
export const Box = z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() });
export type Box = z.infer<typeof Box>;
