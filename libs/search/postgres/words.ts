import type { FindableField, FindableText } from '@adit/module-kit';
import { wordsIn, type Word } from '../query/words.js';
import type { SearchField } from '../query/query.js';

/**
 * The weights that tell fields apart in a tsvector. There are four: things and places share one, and their words have
 * different marks.
 */
export const WEIGHTS: Readonly<Record<SearchField, string>> = {
  who: 'A',
  what: 'B',
  said: 'C',
  written: 'D',
  where: 'B',
};
/** Before words as they are written, of places and of anything else. Stems have none: `budget` is that of `budgets`. */
export const PLACE_MARK = '@';
export const WORD_MARK = '=';

/** SQL: words of names in a tsvector `words`. */
export const NAME_WORDS = `
  SELECT substr(lexeme, 2) AS word FROM unnest(words) WHERE 'A' = ANY(weights) AND lexeme LIKE '${WORD_MARK}%'`;

/** PostgreSQL's configurations of text search, by the codes of their languages. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/** Code of a language without its region; null for none. */
export function languageCode(language: string | null | undefined): string | null {
  const code = /^[a-z]{2,3}(?=$|[-_])/i.exec(language ?? '')?.[0].toLowerCase();
  return code ?? null;
}

/** Name of the configuration that has stems of a language; null where PostgreSQL has none. */
export function configurationOf(language: string | null): string | null {
  return (language === null ? undefined : CONFIGURATIONS[language]) ?? null;
}

/** Characters of a text that are indexed. */
const MOST_CHARACTERS = 100_000;
/** The largest place that a tsvector stores. */
const MOST_PLACES = 16_383;
/** Words between two texts of a document, so that no phrase goes over both. */
const APART = 100;

/** Columns of a document that are made of its texts. */
export interface WordColumns {
  field: FindableField;
  language: string | null;
  length: number;
  /** A tsvector of the words as they are written, as text. */
  simple: string;
  /** What its stems are made of; null without any. */
  stemmed: string | null;
  weight: string;
}

/** What is indexed of a document's texts. */
export interface IndexedWords {
  columns: WordColumns;
  /** Each once. */
  words: { field: FindableField; word: string }[];
}

export function indexedWords(texts: readonly FindableText[]): IndexedWords {
  const places = new Map<string, string[]>();
  const distinct = new Map<string, IndexedWords['words'][number]>();
  let at = 0;
  let length = 0;
  let main: { text: FindableText; words: Word[] } | null = null;
  for (const text of texts) {
    const words = [...wordsIn(text.text.slice(0, MOST_CHARACTERS))];
    for (const { folded } of words) {
      at = Math.min(at + 1, MOST_PLACES);
      const lexeme = `${text.field === 'where' ? PLACE_MARK : WORD_MARK}${folded}`;
      const list = places.get(lexeme) ?? [];
      places.set(lexeme, list);
      list.push(`${at}${WEIGHTS[text.field]}`);
      distinct.set(`${text.field} ${folded}`, { field: text.field, word: folded });
    }
    at = Math.min(at + APART, MOST_PLACES);
    if (text.field !== 'who') main = { text, words };
    length = Math.max(length, words.length);
  }
  const language = languageCode(main?.text.language);
  const field = main?.text.field ?? 'who';
  const columns = {
    field,
    language,
    length,
    simple: [...places].map(([lexeme, list]) => `'${lexeme}':${list.slice(0, 255).join(',')}`).join(' '),
    stemmed:
      main === null || configurationOf(language) === null ? null : main.words.map(({ written }) => written).join(' '),
    weight: WEIGHTS[field],
  };
  return { columns, words: [...distinct.values()] };
}
