import type { RecognisedWord } from '@adit/analyses/speech/observations';

/** An open paragraph. JSON. */
export type OpenParagraph = {
  language: string;
  words: RecognisedWord[];
  /** Seconds of its words by speaker number; omitted without speakers. */
  speakers?: Record<string, number>;
};

/** Seconds of silence that end a paragraph anywhere, and after a sentence. */
const LONG_PAUSE = 2;
const SENTENCE_PAUSE = 0.7;
/** Seconds from which a paragraph ends with the next sentence, and at which it ends anywhere. */
const LONG = 25;
const MAX_SECONDS = 60;
const MAX_WORDS = 400;

/** Words with a full stop that may go on: `Mr.`, `J.`, `3.` */
const ABBREVIATION = /^(?:\p{Lu}\p{L}{0,2}|\d+)\.$/u;
const SENTENCE_END = /[.?!…。！？][)"'”»\]]*$/u;

/** A word, its language, and its speaker's number, null where unknown. */
export interface SaidWord {
  word: RecognisedWord;
  language: string;
  speaker: number | null;
}

/** Tests whether a paragraph ends before a word; at a change of speakers only with `bySpeaker`. */
export function endsBefore(open: OpenParagraph, { word, language, speaker }: SaidWord, bySpeaker: boolean): boolean {
  const { words } = open;
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return false;
  const pause = word.start - last.end;
  if (open.language !== language || pause >= LONG_PAUSE) return true;
  if (bySpeaker && speaker !== speakerOf(open)) return true;
  const ended = SENTENCE_END.test(last.text);
  const seconds = last.end - first.start;
  if (ended && (pause >= SENTENCE_PAUSE || seconds >= LONG)) return true;
  return seconds >= MAX_SECONDS || words.length >= MAX_WORDS;
}

/** Tests whether a paragraph ends before a word where each sentence is one. */
export function endsSentenceBefore(open: OpenParagraph, said: SaidWord): boolean {
  const last = open.words.at(-1);
  if (last === undefined) return false;
  return (SENTENCE_END.test(last.text) && !ABBREVIATION.test(last.text)) || endsBefore(open, said, true);
}

/** Tests whether a sentence is over in sound that was cut in a pause and is known up to a time. */
export function isOver({ words }: OpenParagraph, heardTo: number): boolean {
  const last = words.at(-1);
  return last !== undefined && (SENTENCE_END.test(last.text) || heardTo - last.end >= LONG_PAUSE);
}

/** Adds a word to the paragraph. */
export function withWord(open: OpenParagraph | null, { word, language, speaker }: SaidWord): OpenParagraph {
  const words = [...(open?.words ?? []), word];
  const speakers = { ...open?.speakers };
  if (speaker !== null) speakers[speaker] = (speakers[speaker] ?? 0) + word.end - word.start;
  return { language, words, ...(Object.keys(speakers).length === 0 ? {} : { speakers }) };
}

/** Returns the number of the main speaker; null where unknown. */
export function speakerOf({ speakers = {} }: OpenParagraph): number | null {
  const [most] = Object.entries(speakers).sort(([, a], [, b]) => b - a);
  return most === undefined ? null : Number(most[0]);
}

/** Joins consecutive words to text. */
export function textOf(words: readonly RecognisedWord[]): string {
  return words.map(({ text, parted }, i) => (i > 0 && parted ? ` ${text}` : text)).join('');
}
