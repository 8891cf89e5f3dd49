import { setImmediate } from 'node:timers/promises';
import type { SearchMatch } from '@adit/contracts';
import type { FindableText } from '@adit/module-kit';
import { languageCode, wordsIn, type SearchIndex, type Term, type Word } from '@adit/search';

/** Characters of a text that are shown, and of them those before the first word that was asked for. */
const SHOWN = 400;
const SHOWN_BEFORE = 100;
/** Letters from which on a part of a word is shown as asked for. */
const PART_FROM = 4;
/** Share of the pairs of letters that two words have in common to be shown as alike. */
const ALIKE = 0.5;

/** Characters of a text that are cut into words at once, and how many of them the next part has again. */
const [LOOKED_AT, AGAIN] = [5_000, 500];
/** Characters that are indexed of a text. */
const INDEXED = 100_000;

/** The texts of a result, with the words that were asked for; those without any come last. */
export async function matchesOf(
  index: SearchIndex,
  terms: readonly Term[],
  { texts, isExact }: { texts: readonly FindableText[]; isExact: boolean },
): Promise<SearchMatch[]> {
  const matches: SearchMatch[] = [];
  for (const text of texts) matches.push(await matchOf(index, terms, { text, isExact }));
  return matches.sort((a, b) => Number(b.words.length > 0) - Number(a.words.length > 0));
}

/** Looks at a long text in parts, up to the first one with words that were asked for: no more of it is shown. */
async function matchOf(
  index: SearchIndex,
  terms: readonly Term[],
  { text, isExact }: { text: FindableText; isExact: boolean },
): Promise<SearchMatch> {
  const asked = terms.filter(({ field }) => field === null || field === text.field);
  const language = languageCode(text.language);
  const end = Math.min(text.text.length, INDEXED);
  for (let from = 0; asked.length > 0 && from < end; from += LOOKED_AT - AGAIN) {
    // Other requests get their turn.
    if (from > 0) await setImmediate();
    const to = Math.min(end, from + LOOKED_AT);
    const words = wholeWords(text.text, from, to);
    const found = await foundWords(index, asked, { words, isExact, language });
    if (found.length > 0) return shown(text, found);
    if (to === end) break;
  }
  return shown(text, []);
}

/** The words between two places of a text, but for those that either place may have cut. */
function wholeWords(text: string, from: number, to: number): Word[] {
  const words = [...wordsIn(text.slice(from, to))];
  const moved = words.map((word) => ({ ...word, start: word.start + from, end: word.end + from }));
  return moved.filter(({ start, end }) => (from === 0 || start > from) && (to === text.length || end < to));
}

async function foundWords(
  index: SearchIndex,
  terms: readonly Term[],
  { words, isExact, language }: { words: readonly Word[]; isExact: boolean; language: string | null },
): Promise<Word[]> {
  const found = new Set<Word>();
  for (const { folded } of terms) for (const word of phrasesIn(words, folded)) found.add(word);
  const loose = terms.filter(({ quoted }) => !quoted);
  if (loose.length > 0 && language !== null) {
    const written = loose.flatMap((term) => term.written);
    const stems = await index.stems(language, [...written, ...words.map((word) => word.written)]);
    const asked = new Set(stems.slice(0, written.length).flat());
    for (const [at, word] of words.entries()) {
      if (stems[written.length + at]?.some((stem) => asked.has(stem))) found.add(word);
    }
  }
  if (!isExact) {
    const parts = loose.flatMap((term) => term.folded).filter((part) => [...part].length >= PART_FROM);
    for (const word of words) if (parts.some((part) => isLike(word.folded, part))) found.add(word);
  }
  return words.filter((word) => found.has(word));
}

/** The words of each place where these follow each other. */
function phrasesIn(words: readonly Word[], phrase: readonly string[]): Word[] {
  return words.flatMap((_, at) => {
    const here = words.slice(at, at + phrase.length);
    return here.length === phrase.length && here.every(({ folded }, i) => folded === phrase[i]) ? here : [];
  });
}

function isLike(word: string, asked: string): boolean {
  if (word.includes(asked)) return true;
  const [one, other] = [pairsOf(word), pairsOf(asked)];
  const common = [...other].filter((pair) => one.has(pair)).length;
  return common / other.size >= ALIKE && common / one.size >= ALIKE;
}

function pairsOf(word: string): Set<string> {
  const letters = [' ', ...word, ' '];
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
}

function shown({ field, text }: FindableText, found: readonly Word[]): SearchMatch {
  const first = found[0]?.start ?? 0;
  const from = text.length <= SHOWN || first <= SHOWN_BEFORE ? 0 : wholeFrom(text, first - SHOWN_BEFORE);
  const to = Math.min(text.length, from + SHOWN);
  const words = found.filter(({ start, end }) => start >= from && end <= to);
  return {
    field,
    text: text.slice(from, to).replace(/[\ud800-\udbff]$/, ''),
    words: words.map(({ start, end }) => ({ start: start - from, end: end - from })),
  };
}

/** The first place from there on that is not within a word or a pair of surrogates. */
function wholeFrom(text: string, from: number): number {
  const blank = text.slice(from, from + SHOWN_BEFORE).search(/\s/);
  if (blank >= 0) return from + blank + 1;
  return /[\udc00-\udfff]/.test(text[from] ?? '') ? from + 1 : from;
}
