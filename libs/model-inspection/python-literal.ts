import { refused } from './refusal.js';

export type PythonValue = string | number | boolean | null | PythonValue[] | Map<string | number, PythonValue>;

/** Deepest nesting of lists. */
const MAX_DEPTH = 8;

/**
 * Parses the output of Python's `repr` for dicts, lists, tuples, strings, numbers, True, False and None, as in
 * exporters' metadata: `{0: 'person', 1: "driver's cab"}`. Accepts JSON as well. Throws VALIDATION for anything else;
 * nothing is executed.
 */
export function readPythonLiteral(text: string): PythonValue {
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};
const WORDS = new Map<string, PythonValue>([
  ['True', true],
  ['true', true],
  ['False', false],
  ['false', false],
  ['None', null],
  ['null', null],
]);

class LiteralReader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH) throw this.wrong(`lists deeper than ${MAX_DEPTH}`);
    const first = this.peek();
    if (first === '{') return this.dict(depth);
    if (first === '[') return this.list(']', depth);
    if (first === '(') return this.list(')', depth);
    if (first === "'" || first === '"') return this.string(first);
    const word = /[^\s,:{}[\]()'"]+/y;
    word.lastIndex = this.at;
    const [found] = word.exec(this.text) ?? [];
    if (found === undefined) throw this.wrong('no value');
    const known = WORDS.get(found);
    const number = Number(found.replace(/(?<=\d)_(?=\d)/g, ''));
    if (known === undefined && Number.isNaN(number)) throw this.wrong('a word that is no value');
    this.at += found.length;
    return known === undefined ? number : known;
  }

  end(): void {
    if (this.peek() !== '') throw this.wrong('more behind the value');
  }

  private dict(depth: number): PythonValue {
    const entries = new Map<string | number, PythonValue>();
    this.at++;
    while (this.peek() !== '}') {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' && typeof key !== 'number') throw this.wrong('a key that is neither text nor number');
      if (this.peek() !== ':') throw this.wrong('no colon behind a key');
      this.at++;
      entries.set(key, this.value(depth + 1));
      this.separator('}');
    }
    this.at++;
    return entries;
  }

  private list(end: string, depth: number): PythonValue {
    const values: PythonValue[] = [];
    this.at++;
    while (this.peek() !== end) {
      values.push(this.value(depth + 1));
      this.separator(end);
    }
    this.at++;
    return values;
  }

  private separator(end: string): void {
    const next = this.peek();
    if (next === ',') this.at++;
    else if (next !== end) throw this.wrong(`no ${end}`);
  }

  private string(quote: string): string {
    let value = '';
    for (this.at++; ; this.at++) {
      const character = this.text[this.at];
      if (character === undefined) throw this.wrong('text without an end');
      if (character === quote) break;
      if (character !== '\\') value += character;
      else value += this.escaped();
    }
    this.at++;
    return value;
  }

  private escaped(): string {
    const letter = this.text[++this.at] ?? '';
    const plain = ESCAPES[letter];
    if (plain !== undefined) return plain;
    const digits = { x: 2, u: 4, U: 8 }[letter];
    const code = digits === undefined ? '' : this.text.slice(this.at + 1, this.at + 1 + digits);
    const point = /^[0-9a-f]+$/i.test(code) && code.length === digits ? parseInt(code, 16) : Infinity;
    if (point > 0x10ffff) throw this.wrong('an escape that Python does not write');
    this.at += code.length;
    return String.fromCodePoint(point);
  }

  /** Returns the next non-blank character; empty at the end. */
  private peek(): string {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
    return this.text[this.at] ?? '';
  }

  private wrong(what: string): Error {
    return refused(`It is not written as Python or JSON writes values: ${what} at character ${this.at + 1}.`);
  }
}
