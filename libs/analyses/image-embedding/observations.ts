import { PictureRef } from '@adit/contracts';
import { z } from 'zod';

/** One sampled frame, or a photo. */
const EmbeddedFrame = z.object({
  /** Frame number counted from the start of the source; for images 0. */
  frame: z.int().nonnegative(),
  /** Seconds from the source's first frame. */
  time: z.number(),
  /** What it shows as a whole; see vector-code.ts. */
  embedding: z.base64(),
  /** Index in `views` of a frame that looks much the same. */
  view: z.int().nonnegative(),
});
type EmbeddedFrame = z.infer<typeof EmbeddedFrame>;

/** The pictures that stand for frames that look much the same: the first of them. */
const View = z.object({
  frame: z.int().nonnegative(),
  thumbnail: PictureRef,
  picture: PictureRef,
});
type View = z.infer<typeof View>;

/** What the analysis `image-embedding` writes down for one unit: every sampled frame as a direction. */
export const ImageEmbeddingObservations = z.object({
  /** Digest of the network; embeddings of others cannot be compared with these. */
  network: z.string(),
  dimensions: z.int().positive(),
  sampled: z.array(EmbeddedFrame),
  views: z.array(View),
});
export type ImageEmbeddingObservations = z.infer<typeof ImageEmbeddingObservations>;
