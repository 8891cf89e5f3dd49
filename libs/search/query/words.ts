/**
 * Words of texts and questions, cut in the same way here for both, since a database takes a Japanese or Thai sentence for
 * one word.
 */
import { CODE_UNITS_OF_WORD } from './bounds.js';

/** A word in a text. */
export interface Word {
  /** As it is compared: in small letters, without accents. */
  folded: string;
  /** In small letters. */
  written: string;
  /** Place in the text, in UTF-16 code units. */
  start: number;
  end: number;
}

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that are written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** Letters that have no accent to take off. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text, in order. Hyphens and apostrophes part words. */
export function* wordsIn(text: string): Generator<Word> {
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    let from = 0;
    for (const { 0: unspaced, index: at } of run.matchAll(UNSPACED)) {
      if (at > from) yield wordAt(run.slice(from, at), index + from);
      for (const { segment, index: place } of SEGMENTER.segment(unspaced)) yield wordAt(segment, index + at + place);
      from = at + unspaced.length;
    }
    if (from < run.length) yield wordAt(run.slice(from), index + from);
  }
}

function wordAt(text: string, start: number): Word {
  const written = text
    .toLowerCase()
    .slice(0, CODE_UNITS_OF_WORD)
    .replace(/[\ud800-\udbff]$/, '');
  return { folded: foldedWord(written), written, start, end: start + text.length };
}

/** Marks that carry meaning, such as vowels of Indic scripts and the voicing of kana, stay. */
function foldedWord(word: string): string {
  const bare = word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    // One character may have become eighteen, and words of PostgreSQL's index are short.
    .slice(0, CODE_UNITS_OF_WORD)
    .replace(/[\ud800-\udbff]$/, '');
  return bare.replace(/[ßæœøłđðþı]/g, (letter) => PLAIN[letter] ?? letter);
}
