import { MAX_QUESTION_LENGTH } from '@adit/contracts';
import { MAX_DEPTH, MAX_TERMS } from './bounds.js';
import { mistake, tokensOf, type Origin, type Token } from './lexer.js';
import { isPositive, SEARCH_FIELDS, type Query, type SearchField, type Term } from './query.js';
import { wordsIn } from './words.js';

interface Reading extends Origin {
  /** Field of words that name none. */
  field?: SearchField | null;
}

/**
 * Reads a question: words, "phrases", AND, OR, NOT, parentheses and `field:` before any of them. Words beside each other
 * are joined by AND, which binds more than OR. Throws VALIDATION, with the place, for what cannot be read, for nothing
 * to search, and for a question that only excludes; for more than 1,000 characters, 50 terms, or 10 parentheses in each
 * other.
 */
export function parseQuery(question: string, { field = null, ...origin }: Reading): Query {
  if (question.length > MAX_QUESTION_LENGTH) {
    throw mistake(origin, MAX_QUESTION_LENGTH, 'too_long', `a question has at most ${MAX_QUESTION_LENGTH} characters`);
  }
  const parser = new Parser(tokensOf(question, origin), origin);
  const query = parser.whole(field);
  if (isPositive(query)) return query;
  throw mistake(origin, 0, 'only_excludes', 'NOT needs something to be found beside what it excludes');
}

class Parser {
  private place = 0;
  private terms = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly origin: Origin,
  ) {}

  whole(field: SearchField | null): Query {
    const query = this.either(field);
    if (this.now.kind !== 'end') throw this.unexpected();
    return query;
  }

  private get now(): Token {
    return this.tokens[this.place] ?? { kind: 'end', text: '', at: 0 };
  }

  private take(kind: Token['kind']): boolean {
    if (this.now.kind !== kind) return false;
    this.place += 1;
    return true;
  }

  private either(field: SearchField | null): Query {
    const parts = [this.all(field)];
    while (this.take('or')) parts.push(this.all(field));
    return joined('or', parts);
  }

  private all(field: SearchField | null): Query {
    const parts = [this.one(field)];
    while (this.take('and') || !['or', ')', 'end'].includes(this.now.kind)) parts.push(this.one(field));
    return joined('and', parts);
  }

  private one(field: SearchField | null): Query {
    // In a loop: a chain of them may be as long as the question.
    let negated = false;
    while (this.take('not')) negated = !negated;
    const part = this.primary(field);
    return negated ? { kind: 'not', part } : part;
  }

  private primary(outer: SearchField | null): Query {
    const field = this.now.kind === 'field' ? this.fieldNamed() : outer;
    const { kind, text, at } = this.now;
    if (kind === 'word' || kind === 'phrase') {
      this.place += 1;
      return this.term(text, { field, quoted: kind === 'phrase', at });
    }
    if (kind !== '(') throw this.unexpected();
    this.place += 1;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      throw mistake(this.origin, at, 'too_deep', `at most ${MAX_DEPTH} parentheses may be within each other`);
    }
    const query = this.either(field);
    if (!this.take(')')) throw mistake(this.origin, at, 'open_parenthesis', 'the parenthesis is never closed');
    this.depth -= 1;
    return query;
  }

  private fieldNamed(): SearchField | null {
    const { text } = this.now;
    this.place += 1;
    if (this.now.kind === 'field') {
      throw mistake(this.origin, this.now.at, 'unexpected', 'a word, a phrase or a parenthesis goes behind a field');
    }
    return SEARCH_FIELDS.find((each) => each === text) ?? null;
  }

  private term(text: string, { field, quoted, at }: { field: SearchField | null; quoted: boolean; at: number }): Term {
    const words = [...wordsIn(text)];
    if (words.length === 0) throw mistake(this.origin, at, 'no_words', 'there is no letter or digit to search for');
    // Each word of a phrase costs what a word of its own does.
    this.terms += words.length;
    if (this.terms > MAX_TERMS) {
      throw mistake(this.origin, at, 'too_many_terms', `a question has at most ${MAX_TERMS} words`);
    }
    return {
      kind: 'term',
      field,
      folded: words.map(({ folded }) => folded),
      written: words.map(({ written }) => written),
      quoted,
    };
  }

  private unexpected() {
    const { kind, text, at } = this.now;
    if (kind === 'end') return mistake(this.origin, at, 'unexpected_end', 'a word or a phrase is missing at the end');
    const shown = kind === 'field' ? `${text}:` : text;
    return mistake(this.origin, at, 'unexpected', `"${shown}" is not expected here; a word or a phrase is`);
  }
}

function joined(kind: 'and' | 'or', parts: Query[]): Query {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind, parts };
}
