import { PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** One sampled frame, or a photo. */
const EmbeddedFrame = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /** Embedding of the whole frame; see vector-code.ts. */
  embedding: z.base64(),
  /** Index in `views` of a frame that looks much the same. */
  view: z.int().nonnegative(),
});
type EmbeddedFrame = z.infer<typeof EmbeddedFrame>;

/** Pictures of the first of several frames that look much the same. */
const View = z.object({
  frame: z.int().nonnegative(),
  thumbnail: PictureRef,
  picture: PictureRef,
});
type View = z.infer<typeof View>;

/** Observations of the analysis `image-embedding` for one unit: every sampled frame as a direction. */
export const ImageEmbeddingObservations = z.object({
  /** Digest of the network; embeddings of different networks are not comparable. */
  network: z.string(),
  dimensions: z.int().positive(),
  sampled: z.array(EmbeddedFrame),
  views: z.array(View),
});
export type ImageEmbeddingObservations = z.infer<typeof ImageEmbeddingObservations>;
