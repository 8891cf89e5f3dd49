import { z } from 'zod';

/** Seconds from one window to the next, and of each. Window `i` is heard from `i * HOP_SECONDS` on. */
export const HOP_SECONDS = 0.8;
export const WINDOW_SECONDS = 1.615;

/** What the analysis `voices` writes down for one unit. */
export const VoicesObservations = z.object({
  /** The windows that begin in the unit and in which somebody speaks most of the time, in order. */
  windows: z.array(
    z.object({
      /** Counted from the source's start. */
      index: z.int().nonnegative(),
      /** The direction of an embedding of 256 numbers; see ../image-embedding/vector-code.ts. */
      voice: z.string(),
    }),
  ),
});
export type VoicesObservations = z.infer<typeof VoicesObservations>;
