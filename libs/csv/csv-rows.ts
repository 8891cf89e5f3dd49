/** Fields of a record and characters of a field that are kept; nobody who means a table has more. */
export const MAX_COLUMNS = 1_000;
export const MAX_CELL_LENGTH = 65_536;

/**
 * Fault of a record: a quoted field never ended, it has more than MAX_COLUMNS fields, or one of more than
 * MAX_CELL_LENGTH characters. Characters and fields beyond the limits are not in `cells`.
 */
type CsvFault = 'unclosed_quote' | 'too_many_columns' | 'too_long';

/** Text about a fault, behind the line. */
export const CSV_FAULTS: Record<CsvFault, string> = {
  unclosed_quote: 'a quoted field begins here and never ends.',
  too_many_columns: `it has more than ${MAX_COLUMNS} fields.`,
  too_long: `a field has at most ${MAX_CELL_LENGTH} characters.`,
};

/** A record of a CSV file and the line it begins on, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
  fault: CsvFault | null;
}

/**
 * Records of CSV (RFC 4180): fields may be quoted, a quote within is doubled, line breaks within quotes belong to the field.
 * Lines end in LF, CR LF or CR. A quote inside an unquoted field is a letter, and what follows a closing quote up to the
 * separator belongs to the field. Left out are records without text, as spreadsheets write empty rows, and the line `sep=;` that
 * tells Excel the separator. Yields `null` after each piece of the text, also within long records, so that whoever reads can let
 * others have a turn.
 *
 * @param separator one character; '' for a list of lines, in which quotes are letters too.
 */
export function* csvRows(pieces: Iterable<string>, separator: string): Generator<CsvRow | null> {
  const records = new Records(separator);
  for (const text of pieces) {
    yield* records.read(text);
    yield null;
  }
  yield* records.end();
}

/** Returns a record's value in the column of a header; '' if there is none. */
export function cellOf(row: CsvRow, column: number): string {
  return row.cells[column]?.trim() ?? '';
}

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];

/**
 * Position of the reader in a field. Behind a quote in quotes the next character tells whether the field was closed by
 * it.
 */
type Place = 'start' | 'plain' | 'quoted' | 'behind quote';

class Records {
  private readonly separator: number;
  private place: Place = 'start';
  private line = 1;
  /** The last character was a CR: an LF after it belongs to it. */
  private afterReturn = false;
  private row: CsvRow = { line: 1, cells: [], fault: null };
  private cell = '';
  /** No record with text has ended yet. */
  private isFirst = true;

  constructor(separator: string) {
    this.separator = separator === '' ? -1 : separator.charCodeAt(0);
  }

  *read(text: string): Generator<CsvRow> {
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const joined = this.afterReturn && code === LF;
      this.afterReturn = code === CR;
      if (this.place === 'behind quote') {
        // Doubled, it is one; else the field is closed, and what follows is read as a plain one.
        this.place = code === QUOTE ? 'quoted' : 'plain';
        from = at;
        if (code === QUOTE) continue;
      }
      if (this.place === 'quoted') {
        if (code === QUOTE) {
          this.take(text, from, at);
          this.place = 'behind quote';
        } else if (isBreak(code) && !joined) this.line += 1;
        continue;
      }
      if (joined) {
        from = at + 1;
        continue;
      }
      if (this.place === 'start') {
        from = at;
        this.place = 'plain';
        if (code === QUOTE && this.separator !== -1) {
          this.place = 'quoted';
          from = at + 1;
          continue;
        }
      }
      if (code !== this.separator && !isBreak(code)) continue;
      this.take(text, from, at);
      this.endCell();
      if (code === this.separator) continue;
      this.line += 1;
      const row = this.endRow();
      if (row !== null) yield row;
    }
    if (this.place === 'plain' || this.place === 'quoted') this.take(text, from, text.length);
  }

  *end(): Generator<CsvRow> {
    if (this.place === 'quoted') this.row.fault ??= 'unclosed_quote';
    if (this.place === 'start' && this.row.cells.length === 0) return;
    this.endCell();
    const row = this.endRow();
    if (row !== null) yield row;
  }

  private take(text: string, from: number, until: number): void {
    const room = MAX_CELL_LENGTH - this.cell.length;
    if (until - from > room) this.row.fault ??= 'too_long';
    this.cell += text.slice(from, Math.min(until, from + room));
  }

  private endCell(): void {
    if (this.row.cells.length < MAX_COLUMNS) this.row.cells.push(this.cell);
    else this.row.fault ??= 'too_many_columns';
    this.cell = '';
    this.place = 'start';
  }

  /** The record that ends here; null for one that says nothing. */
  private endRow(): CsvRow | null {
    const { row, isFirst } = this;
    this.row = { line: this.line, cells: [], fault: null };
    if (row.fault === null && row.cells.every((cell) => cell.trim() === '')) return null;
    this.isFirst = false;
    return isFirst && this.separator !== -1 && isSeparatorLine(row) ? null : row;
  }
}

/** Split by whatever separator. */
function isSeparatorLine({ cells: [first = '', ...others] }: CsvRow): boolean {
  return /^sep=.?$/i.test(first.trim()) && others.every((cell) => cell.trim() === '');
}

function isBreak(code: number): boolean {
  return code === LF || code === CR;
}
