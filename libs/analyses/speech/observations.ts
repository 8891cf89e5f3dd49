import { z } from 'zod';

/** Seconds from the source's start. */
const Span = { start: z.number().nonnegative(), end: z.number().nonnegative() };

export const HeardWord = z.strictObject({
  /** With punctuation; without the space before it. */
  text: z.string(),
  /** True when a space separates it from the word before: Chinese and Japanese have none. */
  parted: z.boolean(),
  ...Span,
  /** 0..1. */
  probability: z.number().min(0).max(1),
});
export type HeardWord = z.infer<typeof HeardWord>;

export const HeardSegment = z.strictObject({
  ...Span,
  text: z.string(),
  /** Mean probability of its window's tokens, 0..1. */
  confidence: z.number().min(0).max(1),
  words: z.array(HeardWord),
});
export type HeardSegment = z.infer<typeof HeardSegment>;

/** Observations of the analysis `speech` for one unit. */
export const SpeechObservations = z.strictObject({
  /** Span of the unit's own sound. */
  ...Span,
  /** ISO 639-1 (three letters where there are no two); null where nobody speaks. */
  language: z.string().nullable(),
  languageProbability: z.number().min(0).max(1),
  /** Spans of speech. */
  voices: z.array(z.strictObject(Span)),
  segments: z.array(HeardSegment),
  /** English translation, without words; empty unless requested. */
  translation: z.array(HeardSegment),
});
export type SpeechObservations = z.infer<typeof SpeechObservations>;
