import { z } from 'zod';

/** Seconds per frame: 512 samples at 16 kHz. */
export const FRAME_SECONDS = 0.032;

/** Observations of the analysis `voice-activity` for one unit. */
export const VoiceActivityObservations = z.strictObject({
  /** Number of the first frame from the source's start: frame `i` begins at `i * FRAME_SECONDS`. */
  first: z.int().nonnegative(),
  /** Probability of speech in each frame that begins in the unit, in percent. */
  percent: z.array(z.int().min(0).max(100)),
});
export type VoiceActivityObservations = z.infer<typeof VoiceActivityObservations>;
