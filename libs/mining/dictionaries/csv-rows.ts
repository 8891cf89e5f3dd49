/** A record of a CSV file and the line it begins on, from 1. `unclosed` marks a quoted field that never ended. */
export interface CsvRow {
  line: number;
  cells: string[];
  unclosed: boolean;
}

/** So many fields, or parts of quoted ones, are read between two `null`s. */
const AT_ONCE = 500;

/**
 * Records of CSV text (RFC 4180): fields may be quoted, a quote within is doubled, line breaks within quotes belong to the
 * field. Lines end in LF, CR LF or CR. Empty lines are left out. A quote inside an unquoted field is a letter.
 */
export function* csvRows(text: string, separator: string): Generator<CsvRow> {
  for (const row of csvSteps(text, separator)) if (row !== null) yield row;
}

/** The same with `null` now and then, also within long records, so that whoever reads can let others have a turn. */
export function* csvSteps(text: string, separator: string): Generator<CsvRow | null> {
  let steps = 0;
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const row: CsvRow = { line, cells: [], unclosed: false };
    let quoted = false;
    for (;;) {
      if (++steps % AT_ONCE === 0) yield null;
      let cell = '';
      if (text[at] === '"') {
        quoted = true;
        at += 1;
        for (;;) {
          if (++steps % AT_ONCE === 0) yield null;
          const end = text.indexOf('"', at);
          const part = end === -1 ? text.slice(at) : text.slice(at, end);
          cell += part;
          line += lineBreaks(part);
          if (end === -1) {
            row.unclosed = true;
            at = text.length;
            break;
          }
          at = end + 1;
          if (text[at] !== '"') break;
          cell += '"';
          at += 1;
        }
      }
      // What follows a closing quote up to the separator belongs to the field, as other readers have it.
      const start = at;
      while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
      row.cells.push(cell + text.slice(start, at));
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
    line += 1;
    const isBlank = !quoted && row.cells.length === 1 && row.cells[0]?.trim() === '';
    if (!isBlank) yield row;
  }
}

function lineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
