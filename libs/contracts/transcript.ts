import { z } from 'zod';

const seconds = z.number().nonnegative();

/** A word as it is written, punctuation with it; times in seconds from the start of the source. */
export const TranscriptWord = z.strictObject({
  text: z.string(),
  time_start: seconds,
  time_end: seconds,
  /** 0..1; 1 for what a person wrote. */
  confidence: z.number().min(0).max(1),
});
export type TranscriptWord = z.infer<typeof TranscriptWord>;

/** `meta` of a segment of speech_recognition: a paragraph. Strict nowhere: other builds may add fields. */
export const SpeechMeta = z.object({
  text: z.string(),
  /** ISO 639-1. */
  language: z.string().nullable(),
  speaker: z.string().nullable(),
  confidence: z.number().min(0).max(1),
  /** With `word_level_timestamps`. In order; with what lies between them they are the text. */
  words: z.array(TranscriptWord.loose()).optional(),
});
export type SpeechMeta = z.infer<typeof SpeechMeta>;

/** What a transcript can be written as. */
export const TranscriptFormat = z.enum(['srt', 'vtt', 'ttml', 'txt', 'docx', 'json']);
export type TranscriptFormat = z.infer<typeof TranscriptFormat>;
