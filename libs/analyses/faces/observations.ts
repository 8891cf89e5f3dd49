import { Box, PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** Shorter side in source pixels from which faces can be told apart. */
export const MIN_VIEW_SIZE = 24;

/** One sighting of a face. Boxes are fractions of the displayed frame, sizes source pixels, angles degrees. */
const FaceSighting = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  box: Box,
  /** Detector's confidence, 0..1. */
  score: z.number(),
  /** Shorter side of the box in source pixels. */
  size: z.number(),
});
type FaceSighting = z.infer<typeof FaceSighting>;

/** A view good enough to embed. */
const FaceView = z.object({
  frame: z.int().nonnegative(),
  time: z.number(),
  /** 512-d, L2-normalised, little-endian float32 in base64. */
  embedding: z.string(),
  /** Embedding by the additional network that a job names, of any length; omitted without one. */
  compared: z.string().optional(),
  /** Overall quality, 0..1: size, sharpness and pose together. */
  quality: z.number(),
  /** 0..100, higher is sharper. */
  sharpness: z.number(),
  yaw: z.number(),
  pitch: z.number(),
  roll: z.number(),
  size: z.number(),
  /** Height of the eyes' and the lips' openings as a fraction of their width; earlier builds omitted it. */
  eyes: z.number().optional(),
  mouth: z.number().optional(),
});
type FaceView = z.infer<typeof FaceView>;

/** In the order of the network's output. */
export const EXPRESSIONS = ['neutral', 'happy', 'sad', 'angry', 'fearful', 'disgusted', 'surprised'] as const;
/** Probabilities that add up to 1. */
export const Expression = z.record(z.enum(EXPRESSIONS), z.number());
export type Expression = z.infer<typeof Expression>;

/** One face followed through the frames of a unit. */
export const FaceTrack = z.object({
  id: z.int().nonnegative(),
  sightings: z.array(FaceSighting).min(1),
  /** Best first; empty when the face was never large enough to embed. */
  views: z.array(FaceView),
  /** In years; null when no view was good enough. */
  age: z.number().nullable(),
  /** Probability that the face reads as female, 0..1; null when no view was good enough. */
  female: z.number().nullable(),
  /** Expression in the best view; omitted unless requested, or when no view was good enough. */
  expression: Expression.optional(),
  /** Crop of the best view. */
  thumbnail: PictureRef.nullable(),
  /** Small picture of the best view's whole frame; tracks of one frame share it. */
  keyFrame: z.object({ frame: z.int().nonnegative(), picture: PictureRef }).nullable(),
});
export type FaceTrack = z.infer<typeof FaceTrack>;

/** Observations of the analysis `faces` for one unit: every face, unfiltered. */
export const FaceObservations = z.object({
  /** Every analysed frame, so that an absence can be told from an unsampled interval. */
  sampled: z.array(z.object({ frame: z.int().nonnegative(), time: z.number() })),
  tracks: z.array(FaceTrack),
});
export type FaceObservations = z.infer<typeof FaceObservations>;
