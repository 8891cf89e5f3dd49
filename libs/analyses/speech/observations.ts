import { z } from 'zod';

/** Seconds from the source's start. */
const Span = { start: z.number().nonnegative(), end: z.number().nonnegative() };

export const RecognisedWord = z.strictObject({
  /** With punctuation; without the space before it. */
  text: z.string(),
  /** True when a space separates it from the word before: Chinese and Japanese have none. */
  parted: z.boolean(),
  ...Span,
  /** 0..1. */
  probability: z.number().min(0).max(1),
});
export type RecognisedWord = z.infer<typeof RecognisedWord>;

export const RecognisedSegment = z.strictObject({
  ...Span,
  text: z.string(),
  /** Mean probability of its window's tokens, 0..1. */
  confidence: z.number().min(0).max(1),
  words: z.array(RecognisedWord),
});
export type RecognisedSegment = z.infer<typeof RecognisedSegment>;

/** Observations of the analysis `speech` for one unit. */
export const SpeechObservations = z.strictObject({
  /** Span of the unit's own sound. */
  ...Span,
  /** ISO 639-1 (three letters where there are no two); null where nobody speaks. */
  language: z.string().nullable(),
  languageProbability: z.number().min(0).max(1),
  /** Spans of speech. */
  voices: z.array(z.strictObject(Span)),
  segments: z.array(RecognisedSegment),
  /** English translation, without words; empty unless requested. */
  translation: z.array(RecognisedSegment),
});
export type SpeechObservations = z.infer<typeof SpeechObservations>;
