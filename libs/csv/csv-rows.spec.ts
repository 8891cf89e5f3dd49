import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvRows, MAX_CELL_LENGTH, MAX_COLUMNS, type CsvRow } from './csv-rows.js';
import { separatorOf } from './header.js';
import { textPieces } from './text-pieces.js';

const rowsOf = (pieces: Iterable<string>, separator = ','): CsvRow[] =>
  [...csvRows(pieces, separator)].filter((row) => row !== null);
const cellsOf = (text: string, separator = ','): string[][] => rowsOf([text], separator).map(({ cells }) => cells);
const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;

/** Characters that decide how CSV is read, and letters of one and more bytes. */
const anything = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ä', '𝄞'), maxLength: 40 });
const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ä'), maxLength: 8 });

describe('records of CSV', () => {
  it('reads back what was written, with the line each record begins on', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }), (rows) => {
        const lines = rows.map((row) => row.map(quoted).join(','));
        const before = (i: number): string => lines.slice(0, i).join('\n');
        const starts = lines.map((_, i) => (i === 0 ? 1 : 1 + before(i).split(/\r\n|\r|\n/).length));
        const seen = rowsOf([lines.join('\n')]);
        const hasText = rows.map((row) => row.some((value) => value.trim() !== ''));
        expect(seen.map(({ cells }) => cells)).toEqual(rows.filter((_, i) => hasText[i]));
        expect(seen.map(({ line }) => line)).toEqual(starts.filter((_, i) => hasText[i]));
      }),
    );
  });

  it('records are the same wherever the text is cut in pieces', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 6 }), (pieces) => {
        expect(rowsOf(pieces)).toEqual(rowsOf([pieces.join('')]));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a,b\nc', [['a', 'b'], ['c']]],
    ['a,\r\n,b\r\r', [['a', ''], ['', 'b']]], // prettier-ignore
    ['\n \n""\n\na', [['a']]],
    [',\n,,\r\n , \t,\n"","",""\na,\n,', [['a', '']]],
    ['sep=,\na,b', [['a', 'b']]],
    ['\n"SEP=,"\r\na,b', [['a', 'b']]],
    ['sep=,,,\na,b', [['a', 'b']]],
    ['a,b\nsep=,', [['a', 'b'], ['sep=', '']]], // prettier-ignore
    ['a"b,"c""d"', [['a"b', 'c"d']]],
    ['"a"b"c,d', [['ab"c', 'd']]],
    ['"a\r\nb"\r\nc', [['a\r\nb'], ['c']]],
  ])('of %j', (text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  it('lines without a separator are records', () => {
    expect(cellsOf('a,"b\r\n\n"c"\rd', '')).toEqual([['a,"b'], ['"c"'], ['d']]);
    expect(cellsOf('sep=;\n,\n""', '')).toEqual([['sep=;'], [','], ['""']]);
  });

  it('an unclosed quote is reported with its line, and no more than the limit is kept', () => {
    const text = `a\n"b\nc"\n\n"d\ne`;
    expect(rowsOf([text]).map(({ line, fault }) => [line, fault])).toEqual([
      [1, null],
      [2, null],
      [5, 'unclosed_quote'],
    ]);
    const wide = `${'x,'.repeat(MAX_COLUMNS)}x\n${'x,'.repeat(MAX_COLUMNS - 1)}x\n`;
    const long = `${'x'.repeat(MAX_CELL_LENGTH + 1)}\n"${'""'.repeat(MAX_CELL_LENGTH + 1)}"\n${'x'.repeat(MAX_CELL_LENGTH)}`;
    const rows = rowsOf(textPieces(Buffer.from(wide + long)));
    expect(rows.map(({ line, fault }) => [line, fault])).toEqual([
      [1, 'too_many_columns'],
      [2, null],
      [3, 'too_long'],
      [4, 'too_long'],
      [5, null],
    ]);
    expect(rows.map(({ cells }) => cells.length)).toEqual([MAX_COLUMNS, MAX_COLUMNS, 1, 1, 1]);
    expect(rows.map(({ cells }) => cells[0]!.length)).toEqual([
      1,
      1,
      MAX_CELL_LENGTH,
      MAX_CELL_LENGTH,
      MAX_CELL_LENGTH,
    ]);
  });

  it('other work gets its time slice after every few kilobytes, whatever they are made of', () => {
    const size = 1 << 20;
    for (const unit of ['a', ',', '"', '\n', '\r', ' ', '"a",', 'ä']) {
      const bytes = Buffer.from(unit.repeat(size / Buffer.byteLength(unit)));
      let turns = 0;
      let since = 0;
      for (const row of csvRows(textPieces(bytes), ',')) {
        since = row === null ? 0 : since + 1;
        expect(since).toBeLessThanOrEqual(4_096);
        if (row === null) turns += 1;
      }
      expect(turns).toBeGreaterThanOrEqual(size / 4_096);
    }
  });
});

describe('text in pieces', () => {
  it('the text is that of the file, without its mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(4_100), (end, length) => {
        // Halves of surrogate pairs are no text in UTF-8.
        const text = Buffer.from('é'.repeat(length) + end).toString();
        expect([...textPieces(Buffer.from(`\uFEFF${text}`))].join('')).toBe(text);
      }),
    );
  });
});

describe('the separator of a file', () => {
  it.each([
    ['source,target', ','],
    ['\uFEFF\n\nnote;"Target"; SOURCE \nx', ';'],
    ['source\ttarget', '\t'],
    [';;\r\n\t\n ; \nsource;target', ';'],
    ['"",""\nsource,target', ','],
    ['sep=;\r\nsource;target', ';'],
    ['\uFEFFsep=|\nsource|target', '|'],
    ['"sep=;"\n;;\nsource;target', ';'],
    ['sep=;;\nsource;target', ';'],
    ['sep=\t\nsource\ttarget', '\t'],
    // It says one, and the table has another: the table is right.
    ['sep=,\nsource;target', ';'],
    ['sep=;\nfrom;to', null],
    ['sep="\nsource"target', null],
    ['source target', null],
    ['source\ntarget', null],
    ['', null],
  ])('the separator of the header %j is %j', (text, separator) => {
    expect(separatorOf(Buffer.from(text), ['source', 'target'])).toBe(separator);
  });
});
