import { z } from 'zod';

/** Seconds between windows, and of each. Window `i` begins at `i * HOP_SECONDS`. */
export const HOP_SECONDS = 0.8;
export const WINDOW_SECONDS = 1.615;

/** Observations of the analysis `voices` for one unit. */
export const VoicesObservations = z.object({
  /** Windows that begin in the unit and are mostly voiced, in order. */
  windows: z.array(
    z.object({
      /** Counted from the source's start. */
      index: z.int().nonnegative(),
      /** Direction of an embedding of 256 numbers; see ../image-embedding/vector-code.ts. */
      voice: z.string(),
    }),
  ),
});
export type VoicesObservations = z.infer<typeof VoicesObservations>;
