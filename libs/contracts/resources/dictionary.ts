import { z } from 'zod';
import { isKeyOf } from '../values/lists.js';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';

/** Languages a dictionary can be of, by their ISO 639-1 code: those that can be told from a text. */
export const LANGUAGES = {
  am: 'amharic',
  ar: 'arabic',
  az: 'azerbaijani',
  be: 'belarusian',
  bg: 'bulgarian',
  bn: 'bengali',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  et: 'estonian',
  eu: 'basque',
  fa: 'persian',
  fi: 'finnish',
  fr: 'french',
  gu: 'gujarati',
  he: 'hebrew',
  hi: 'hindi',
  hr: 'croatian',
  hu: 'hungarian',
  hy: 'armenian',
  is: 'icelandic',
  it: 'italian',
  ja: 'japanese',
  ka: 'georgian',
  kn: 'kannada',
  ko: 'korean',
  ku: 'kurdish',
  lo: 'lao',
  lt: 'lithuanian',
  lv: 'latvian',
  ml: 'malayalam',
  mr: 'marathi',
  ms: 'malay',
  nl: 'dutch',
  no: 'norwegian',
  or: 'odia',
  pa: 'punjabi',
  pl: 'polish',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sk: 'slovak',
  sl: 'slovene',
  sq: 'albanian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  te: 'telugu',
  th: 'thai',
  tl: 'tagalog',
  tr: 'turkish',
  uk: 'ukrainian',
  ur: 'urdu',
  vi: 'vietnamese',
  yo: 'yoruba',
  zh: 'chinese',
} as const;
export type LanguageCode = keyof typeof LANGUAGES;
export type LanguageName = (typeof LANGUAGES)[LanguageCode];

/** The name of a language given by name or code in any case (`German`, `de`, `de-AT`); null when it is none of the list. */
export function languageName(text: string): LanguageName | null {
  const given = text.trim().toLowerCase();
  const code = given.replace(/[-_].*$/s, '');
  if (isKeyOf(LANGUAGES, code)) return LANGUAGES[code];
  return Object.values(LANGUAGES).find((name) => name === given) ?? null;
}

/** `any` matches results of every language. */
export const DictionaryLanguage = z.enum(['any', ...Object.values(LANGUAGES)]);
export type DictionaryLanguage = z.infer<typeof DictionaryLanguage>;

/** simple: a list of entries. map: a source and what replaces it. */
export const DictionaryType = z.enum(['simple', 'map']);
export type DictionaryType = z.infer<typeof DictionaryType>;

export const Dictionary = z.strictObject({
  id: z.uuid().describe('Id of the dictionary'),
  name: z.string().describe('Name of the dictionary'),
  type: DictionaryType.describe('`simple`: a list of entries; `map`: labels and what replaces them'),
  language: DictionaryLanguage.describe('Results of this language alone are compared with it; `any`: all'),
  time_created: IsoTime.describe('When it was uploaded'),
  is_public: z.boolean().describe('Whether it comes with Adit, and cannot be changed or deleted'),
});
export type Dictionary = z.infer<typeof Dictionary>;

export const DictionaryPage = pageOf(Dictionary);

/** A dictionary as it was when a job was posted: what happens to it later does not alter the job. */
export const DictionaryPin = z.strictObject({
  id: z.uuid(),
  version: z.int().positive(),
  /** SHA-256 of the file. */
  digest: z.string(),
  name: z.string(),
  type: DictionaryType,
  language: DictionaryLanguage,
  /** Key of the file in the object store. */
  objectKey: z.string(),
});
export type DictionaryPin = z.infer<typeof DictionaryPin>;
