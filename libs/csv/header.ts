/** Bytes of a header; a longer line names no columns. */
const LONGEST_HEADER = 65_536;
const SEPARATORS = [',', ';', '\t'];

/** The line that tells Excel the separator. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])\1*"?\s*$/i;

/**
 * The character that splits the header, which is the first line with text, so that it names all of these columns; spreadsheets of
 * many countries write semicolons, and whatever the line `sep=|` before it says. Null when none does.
 */
export function separatorOf(bytes: Uint8Array, columns: readonly string[]): string | null {
  const text = new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER));
  const lines = text.split(/\r|\n/).filter((line) => /[^\s",;]/.test(line));
  const said = SEPARATOR_LINE.exec(lines[0] ?? '')?.[1];
  const header = (said === undefined ? lines[0] : lines[1]) ?? '';
  const separators = said === undefined ? SEPARATORS : [said, ...SEPARATORS];
  return separators.find((separator) => names(header.split(separator), columns)) ?? null;
}

function names(cells: string[], columns: readonly string[]): boolean {
  const named = new Set(cells.map(columnName));
  return columns.every((column) => named.has(column));
}

/** Columns are named in any case, with blanks and quotes around. */
export function columnName(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}
