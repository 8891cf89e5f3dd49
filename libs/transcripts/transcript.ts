import type { TranscriptWord } from '@adit/contracts';

/** Words of one person without a longer pause. Times are seconds from the start of the source. */
export interface SpokenParagraph {
  /** The text with punctuation; words are parted by blanks where the language does so. */
  text: string;
  /** Name or number of who speaks; null where it is not known. */
  speaker: string | null;
  time_start: number;
  time_end: number;
  /** In order, each a piece of `text`; empty where only the paragraph's times are known. */
  words: TranscriptWord[];
}

/** Input of all formats: paragraphs in order of their start. */
export interface Transcript {
  /** ISO 639-1; null where it is not known. */
  language: string | null;
  paragraphs: AsyncIterable<SpokenParagraph> | Iterable<SpokenParagraph>;
}
