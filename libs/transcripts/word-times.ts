import { elementAt, type TranscriptWord } from '@adit/contracts';
import { commonRun } from './common-run.js';
import type { SpokenParagraph } from './transcript.js';
import { tokensOf, type Token } from './tokens.js';

/** A word of a paragraph's text with when it is said. */
export type TimedToken = Token & Pick<TranscriptWord, 'time_start' | 'time_end' | 'confidence'>;

/** A place in a text whose time is known. */
interface Anchor {
  at: number;
  time: number;
}

/**
 * Every word of the text with its times: those of `words` where it is one of them, else in between by length. Times are in
 * order and within the paragraph, whatever `words` say.
 *
 * @param confidence of words that `words` does not have, 0..1.
 */
export function timedTokens(paragraph: Omit<SpokenParagraph, 'speaker'>, confidence = 1): TimedToken[] {
  const { text } = paragraph;
  const said = placedWords(paragraph);
  const anchors: Anchor[] = [
    { at: 0, time: paragraph.time_start },
    ...said.flatMap(({ from, to, time_start: start, time_end: end }) => [
      { at: from, time: start },
      { at: to, time: end },
    ]),
    { at: text.length, time: Math.max(paragraph.time_start, paragraph.time_end) },
  ];
  // Times of the last anchor not behind a beginning, of the first not before an end, and of a word.
  let before = 0;
  let after = 1;
  let word = 0;
  const reaches = (index: number, at: number): boolean => (anchors[index]?.at ?? Infinity) <= at;
  return tokensOf(text).map((token) => {
    while (reaches(before + 1, token.from)) before += 1;
    while (!(elementAt(anchors, after).at >= token.to)) after += 1;
    while ((said[word]?.to ?? Infinity) <= token.from) word += 1;
    const start = between(elementAt(anchors, before), elementAt(anchors, before + 1), token.from);
    const end = between(elementAt(anchors, after - 1), elementAt(anchors, after), token.to);
    const found = said[word];
    return {
      ...token,
      time_start: start,
      time_end: Math.max(start, end),
      confidence: found !== undefined && found.from < token.to ? found.confidence : confidence,
    };
  });
}

/** The same words as a paragraph keeps them. */
export function wordsOfText(paragraph: Omit<SpokenParagraph, 'speaker'>, confidence?: number): TranscriptWord[] {
  return timedTokens(paragraph, confidence).map(wordOf);
}

/**
 * The words of a text that was edited: those that were there before, in the order of before, keep their times; those that
 * took the place of others share the time of those, and those that came between share what lies between. They are sure, as
 * a person wrote them.
 */
export function editedWords(
  before: Omit<SpokenParagraph, 'speaker'>,
  text: string,
  extent: Extent = before,
): TranscriptWord[] {
  const old = timedTokens(before);
  const now = tokensOf(text);
  const kept = commonRun(old.map(foldedText), now.map(foldedText));
  const words: TranscriptWord[] = [];
  let [oldFrom, nowFrom] = [0, 0];
  for (const [oldAt, nowAt] of [...kept, [old.length, now.length] as const]) {
    const replaced = old.slice(oldFrom, oldAt);
    const span = {
      start: replaced.at(0)?.time_start ?? old[oldFrom - 1]?.time_end ?? extent.time_start,
      end: replaced.at(-1)?.time_end ?? old[oldAt]?.time_start ?? extent.time_end,
    };
    words.push(...spread(now.slice(nowFrom, nowAt), span));
    const [same, word] = [old[oldAt], now[nowAt]];
    if (same !== undefined && word !== undefined) words.push({ ...wordOf(same), text: word.text });
    [oldFrom, nowFrom] = [oldAt + 1, nowAt + 1];
  }
  const within = (time: number): number => Math.min(Math.max(time, extent.time_start), extent.time_end);
  return words.map((word) => ({
    ...word,
    time_start: within(word.time_start),
    time_end: within(word.time_end),
  }));
}

type Extent = Pick<SpokenParagraph, 'time_start' | 'time_end'>;

function wordOf({ text, time_start, time_end, confidence }: TimedToken): TranscriptWord {
  return { text, time_start, time_end, confidence };
}

/** Each run of marks is looked at once: begun anew at every mark of a long one, it would take minutes. */
const MARKS_AROUND = /^[\p{P}\p{S}]+|(?<![\p{P}\p{S}])[\p{P}\p{S}]+$/gu;

/** Words with new punctuation or capitals are the same words. */
function foldedText({ text }: Token): string {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(MARKS_AROUND, '') || folded;
}

function spread(tokens: Token[], { start, end }: { start: number; end: number }): TranscriptWord[] {
  const whole = tokens.reduce((sum, { text }) => sum + text.length, 0);
  const [first, last] = [
    { at: 0, time: start },
    { at: whole, time: Math.max(start, end) },
  ];
  let at = 0;
  return tokens.map(({ text }) => {
    const from = between(first, last, at);
    at += text.length;
    return { text, time_start: from, time_end: between(first, last, at), confidence: 1 };
  });
}

/** To the millisecond, never beyond either of the two. */
function between(before: Anchor, after: Anchor, at: number): number {
  if (at <= before.at) return before.time;
  if (at >= after.at) return after.time;
  const time = before.time + ((after.time - before.time) * (at - before.at)) / (after.at - before.at);
  return Math.min(Math.max(Math.round(time * 1000) / 1000, before.time), after.time);
}

/** Finds the words in the text, as far as they are there; each time is not before the one ahead of it. */
function placedWords({ text, words, time_start: start, time_end: end }: Omit<SpokenParagraph, 'speaker'>) {
  const placed: (TranscriptWord & { from: number; to: number })[] = [];
  let from = 0;
  let time = start;
  const latest = Math.max(start, end);
  for (const word of words) {
    const written = word.text.trim();
    const at = written === '' ? -1 : text.indexOf(written, from);
    if (at < 0) continue;
    from = at + written.length;
    const begun = Math.min(Math.max(word.time_start, time), latest);
    time = Math.min(Math.max(word.time_end, begun), latest);
    placed.push({ ...word, time_start: begun, time_end: time, from: at, to: from });
  }
  return placed;
}
