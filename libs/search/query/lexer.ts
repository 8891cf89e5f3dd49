import { AditError } from '@adit/contracts';
import { SEARCH_FIELDS, type SearchField } from './query.js';

export interface Token {
  kind: 'and' | 'or' | 'not' | '(' | ')' | 'field' | 'word' | 'phrase' | 'end';
  /** Of a word or phrase what was written, of a field its name. */
  text: string;
  /** Place in the question, in UTF-16 code units. */
  at: number;
}

/** What stands before the name of a parameter: `?` of a query, or `/` and the way to it in a body. */
export type Mark = '?' | `/${string}`;

/** Where a question comes from, for its errors. */
export interface Origin {
  /** Name of the parameter. */
  parameter: string;
  /** By default that of a query. */
  mark?: Mark;
}

const OPERATORS: Readonly<Record<string, 'and' | 'or' | 'not'>> = { AND: 'and', OR: 'or', NOT: 'not' };
/** One token: a parenthesis, a phrase, `name:`, or what stands between blanks. */
const TOKEN = /[()]|["“”„]([^"“”„]*)(["“”]|$)|([A-Za-z_]+):|[^\s()"“”„]+/y;

/** The tokens of a question, the end included. Throws VALIDATION with the place of a mistake. */
export function tokensOf(question: string, origin: Origin): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ;) {
    at += /^\s*/.exec(question.slice(at))?.[0].length ?? 0;
    if (at >= question.length) return [...tokens, { kind: 'end', text: '', at }];
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(question);
    if (found === null) throw mistake(origin, at, 'unexpected', 'this cannot be read');
    tokens.push(tokenOf(found, at, origin));
    at += found[0].length;
  }
}

function tokenOf([text, phrase, closed, name]: RegExpExecArray, at: number, origin: Origin): Token {
  if (text === '(' || text === ')') return { kind: text, text, at };
  if (name !== undefined) return { kind: 'field', text: fieldOf(name, at, origin), at };
  if (phrase === undefined || closed === undefined) return { kind: OPERATORS[text] ?? 'word', text, at };
  if (closed === '') throw mistake(origin, at, 'open_phrase', 'the quotation mark is never closed');
  return { kind: 'phrase', text: phrase, at };
}

function fieldOf(name: string, at: number, origin: Origin): SearchField {
  const field = SEARCH_FIELDS.find((each) => each === name.toLowerCase());
  if (field !== undefined) return field;
  const fields = SEARCH_FIELDS.map((each) => `${each}:`).join(', ');
  throw mistake(
    origin,
    at,
    'unknown_field',
    `there is no field "${name}:"; there are ${fields}. Put words with a colon in quotation marks`,
  );
}

/** A mistake in a question; places are counted from 1, in characters. */
export function mistake({ parameter, mark = '?' }: Origin, at: number, code: string, what: string): AditError {
  const pointer = `${mark}${parameter}`;
  const message = `${pointer}, character ${at + 1}: ${what}.`;
  return new AditError('VALIDATION', message, { errors: [{ pointer, code, message }] });
}
