import { pipeline, type Readable } from 'node:stream';
import { stringify } from 'csv-stringify';

/** A cell of a table that is written. */
export type Cell = string | number | null;

/** The form of tables that are written; `name` is what clients ask for. */
export const CSV = { name: 'csv', mimeType: 'text/csv; charset=utf-8', extension: 'csv' } as const;

/**
 * Places at which a spreadsheet may see the beginning of a cell and a formula in it: also behind blanks, with the signs
 * in full width, and behind other separators than a comma.
 */
const FORMULA = /(?<=^|[;|\t\r\n])(?=\s*[=+\-@＝＋－＠])/g;

/**
 * CSV (RFC 4180) in UTF-8 with a byte order mark, so that spreadsheets read its letters, as a stream that holds a row or two at
 * a time. What a spreadsheet would run as a formula is preceded by an apostrophe: labels come from media and clients, and the
 * library looks for formulas at the beginning of a field only. An error of `rows` destroys the stream; destroying it ends them.
 */
export function writeCsv(columns: string[], rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): Readable {
  const csv = stringify({
    // Row by row: what says how far an export is counts the rows that were asked for.
    readableHighWaterMark: 1,
    writableHighWaterMark: 1,
    bom: true,
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: (text) => text.replace(FORMULA, "'") },
  });
  // Its end and its errors are seen by whoever reads.
  pipeline(withHeader(columns, rows), csv, () => undefined);
  return csv;
}

async function* withHeader(columns: string[], rows: AsyncIterable<Cell[]> | Iterable<Cell[]>): AsyncGenerator<Cell[]> {
  yield columns;
  yield* rows;
}
