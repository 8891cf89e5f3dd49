import { AditError } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_QUESTION_LENGTH } from '@adit/contracts';
import { MAX_DEPTH, MAX_TERMS } from './bounds.js';
import { parseQuery } from './parse.js';
import { isPositive, SEARCH_FIELDS, type Query } from './query.js';
import { wordsIn } from './words.js';

const parsed = (question: string) => parseQuery(question, { parameter: 'q' });

/** A question with parentheses around everything. */
function written(query: Query): string {
  switch (query.kind) {
    case 'term': {
      const words = query.written.join(' ');
      return `${query.field === null ? '' : `${query.field}:`}${query.quoted ? `"${words}"` : words}`;
    }
    case 'not':
      return `NOT ${written(query.part)}`;
    default:
      return `(${query.parts.map(written).join(query.kind === 'and' ? ' AND ' : ' OR ')})`;
  }
}

function mistakeIn(question: string) {
  try {
    parsed(question);
  } catch (error) {
    const { code, message, options } = AditError.from(error);
    const [detail] = options.errors ?? [];
    return { code, message, fault: detail?.code, pointer: detail?.pointer };
  }
  return null;
}

describe('a question', () => {
  it.each([
    ['budget', 'budget'],
    ['anna budget', '(anna AND budget)'],
    ['anna AND budget', '(anna AND budget)'],
    ['a b OR c d', '((a AND b) OR (c AND d))'],
    ['a (b OR c)', '(a AND (b OR c))'],
    ['a NOT b', '(a AND NOT b)'],
    ['a NOT NOT b', '(a AND b)'],
    ['who:"Anna Weber"', 'who:"anna weber"'],
    ['Who:Anna said:(budget OR cost)', '(who:anna AND (said:budget OR said:cost))'],
    ['said:(budget who:anna)', '(said:budget AND who:anna)'],
    ['who: anna', 'who:anna'],
    ['“good evening”', '"good evening"'],
    ['and or not', '(and AND or AND not)'],
    ['12:30', '12 30'],
    ["don't", 'don t'],
  ])('%s is read as %s', (question, as) => {
    expect(written(parsed(question))).toBe(as);
  });

  it.each([
    ['', 'unexpected_end', 1],
    ['anna AND', 'unexpected_end', 9],
    ['(anna', 'open_parenthesis', 1],
    ['anna)', 'unexpected', 5],
    ['said "good evening', 'open_phrase', 6],
    ['anna whom:anna', 'unknown_field', 6],
    ['http://example.com', 'unknown_field', 1],
    ['who:said:x', 'unexpected', 5],
    ['who:', 'unexpected_end', 5],
    ['anna ...', 'no_words', 6],
    ['a AND OR b', 'unexpected', 7],
    ['NOT anna', 'only_excludes', 1],
    ['anna OR NOT bob', 'only_excludes', 1],
    ['()', 'unexpected', 2],
  ])('%j is refused as %s at character %i', (question, fault, character) => {
    const mistake = mistakeIn(question);
    expect(mistake).toMatchObject({ code: 'VALIDATION', fault, pointer: '?q' });
    expect(mistake?.message).toContain(`?q, character ${character}:`);
  });

  it('has bounds, which its errors name', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
    const many = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
    expect(written(parsed(nested(MAX_DEPTH)))).toBe('a');
    expect(mistakeIn(nested(MAX_DEPTH + 1))).toMatchObject({
      fault: 'too_deep',
      message: expect.stringContaining('10'),
    });
    expect(mistakeIn(many(MAX_TERMS))).toBeNull();
    expect(mistakeIn(many(MAX_TERMS + 1))).toMatchObject({
      fault: 'too_many_terms',
      message: expect.stringContaining('50'),
    });
    expect(mistakeIn(`"${many(MAX_TERMS + 1)}"`)).toMatchObject({ fault: 'too_many_terms' });
    expect(mistakeIn('a'.repeat(MAX_QUESTION_LENGTH))).toBeNull();
    expect(mistakeIn('a'.repeat(MAX_QUESTION_LENGTH + 1))).toMatchObject({ fault: 'too_long' });
  });

  it('is read or refused with a place in it, whatever it is', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('AND', 'OR', 'NOT', '(', ')', '"', 'who:', 'said:', ' ', '東京タワー', 'ß', '\u0000', '\ud800'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const question = pieces.join(' ');
        const mistake = mistakeIn(question);
        if (mistake === null) return expect(isPositive(parsed(question))).toBe(true);
        expect(mistake.code).toBe('VALIDATION');
        const [, place] = /character (\d+):/.exec(mistake.message) ?? [];
        expect(Number(place)).toBeGreaterThan(0);
        expect(Number(place)).toBeLessThanOrEqual(Math.max(question.length, 1) + 1);
      }),
      { numRuns: 300 },
    );
  });

  it('means the same when it is written down again', () => {
    const term = fc.record({
      kind: fc.constant('term' as const),
      field: fc.constantFrom(null, ...SEARCH_FIELDS),
      word: fc.stringMatching(/^[a-z0-9äöü]{1,8}$/),
      quoted: fc.boolean(),
    });
    const { query } = fc.letrec<{ query: Query }>((tie) => ({
      query: fc.oneof(
        { maxDepth: 3 },
        term.map(({ word, ...rest }) => ({
          ...rest,
          folded: [...wordsIn(word)].map((w) => w.folded),
          written: [word],
        })),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          parts: fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
        }),
      ),
    }));
    fc.assert(
      fc.property(query, (one) => expect(parsed(written(one))).toEqual(one)),
      { numRuns: 200 },
    );
  });
});

describe('words', () => {
  const folded = (text: string) => [...wordsIn(text)].map((word) => word.folded);

  it('are compared in small letters without accents, but with the marks that tell words apart', () => {
    expect(folded('Café GROẞE Straße, Łódź – naïve')).toEqual(['cafe', 'grosse', 'strasse', 'lodz', 'naive']);
    expect(folded('हिन्दी')).toEqual(['हिन्दी'.normalize('NFC')]);
  });

  it('are cut in scripts without blanks, beside others', () => {
    expect(folded('東京都庁の展望台')).toEqual(['東京', '都庁', 'の', '展望', '台']);
    expect(folded('Visit東京2020')).toEqual(['visit', '東京', '2020']);
    expect(folded('สวัสดีครับ').length).toBeGreaterThan(1);
  });

  it('know their places in the text', () => {
    const text = 'Der „Häuser“-Plan in 東京都';
    for (const { start, end, written: word } of wordsIn(text)) expect(text.slice(start, end).toLowerCase()).toBe(word);
  });

  it('are never longer than the index takes', () => {
    expect(folded('x'.repeat(5000))).toEqual(['x'.repeat(100)]);
  });
});
