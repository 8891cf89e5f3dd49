import type { HeardWord } from '@adit/analyses/speech/observations';

/** A paragraph that is being said. JSON. */
export type OpenParagraph = { language: string; words: HeardWord[] };

/** Seconds of silence that end a paragraph wherever they are, and after a sentence. */
const LONG_PAUSE = 2;
const SENTENCE_PAUSE = 0.7;
/** From so many seconds on a paragraph ends with the next sentence, and in the end wherever it is. */
const LONG = 25;
const LONGEST = 60;
const MOST_WORDS = 400;

const SENTENCE_END = /[.?!…。！？][)"'”»\]]*$/u;

/** Whether a paragraph ends before a word. */
export function endsBefore({ language, words }: OpenParagraph, next: HeardWord, nextLanguage: string): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return false;
  const pause = next.start - last.end;
  if (language !== nextLanguage || pause >= LONG_PAUSE) return true;
  const ended = SENTENCE_END.test(last.text);
  const seconds = last.end - first.start;
  if (ended && (pause >= SENTENCE_PAUSE || seconds >= LONG)) return true;
  return seconds >= LONGEST || words.length >= MOST_WORDS;
}

/** The text of words in a row. */
export function textOf(words: readonly HeardWord[]): string {
  return words.map(({ text, parted }, i) => (i > 0 && parted ? ` ${text}` : text)).join('');
}
