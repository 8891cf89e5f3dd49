import { Readable } from 'node:stream';
import type { Cell } from './results-table.js';

/** What spreadsheets take for a formula when it begins a cell. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * CSV (RFC 4180) in UTF-8 with a byte order mark, so that spreadsheets read its letters, as a stream that holds a row at a
 * time. Text that a spreadsheet would run as a formula is preceded by an apostrophe: labels come from media and clients.
 */
export function writeCsv(columns: string[], rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): Readable {
  return Readable.from(lines(columns, rows), { objectMode: false });
}

async function* lines(columns: string[], rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): AsyncGenerator<Buffer> {
  yield Buffer.from(`\uFEFF${line(columns)}`);
  for await (const row of rows) yield Buffer.from(line(row));
}

function line(cells: Cell[]): string {
  return `${cells.map(field).join(',')}\r\n`;
}

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
