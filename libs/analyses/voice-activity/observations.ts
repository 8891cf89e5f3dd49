import { z } from 'zod';

/** Seconds of one judgement: 512 samples at 16 kHz. */
export const FRAME_SECONDS = 0.032;

/** What the analysis `voice-activity` writes down for one unit. */
export const VoiceActivityObservations = z.strictObject({
  /** The first of the frames, counted from the source's start: frame `i` is heard from `i * FRAME_SECONDS` on. */
  first: z.int().nonnegative(),
  /** How likely somebody speaks in each frame that begins in the unit, in percent. */
  percent: z.array(z.int().min(0).max(100)),
});
export type VoiceActivityObservations = z.infer<typeof VoiceActivityObservations>;
