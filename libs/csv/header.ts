/** Bytes of a header; a longer line names no columns. */
const LONGEST_HEADER = 65_536;
const SEPARATORS = [',', ';', '\t'];

/**
 * The character that splits the first line with text so that it names all of these columns; spreadsheets of many countries
 * write semicolons. Null when none does.
 */
export function separatorOf(bytes: Uint8Array, columns: readonly string[]): string | null {
  const text = new TextDecoder().decode(bytes.subarray(0, LONGEST_HEADER));
  const line = text.trimStart().split(/\r|\n/, 1)[0] ?? '';
  return SEPARATORS.find((separator) => names(line.split(separator), columns)) ?? null;
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
