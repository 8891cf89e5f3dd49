import { Readable } from 'node:stream';
import type { Cell } from './results-table.js';

/**
 * Where a spreadsheet may find the beginning of a cell, and a formula in it: also behind blanks, by its signs in full width,
 * and behind what separates cells where a comma does not.
 */
const FORMULA = /(?<=^|[;|\t\r\n])(?=\s*[=+\-@＝＋－＠])/g;

/**
 * CSV (RFC 4180) in UTF-8 with a byte order mark, so that spreadsheets read its letters, as a stream that holds a row at a
 * time. What a spreadsheet would run as a formula is preceded by an apostrophe: labels come from media and clients.
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
  const text = cell.replace(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
