/** Bytes of a header; a longer line names no columns. */
const MAX_HEADER_LENGTH = 65_536;
const SEPARATORS = [',', ';', '\t'];
/** The line that tells Excel the separator. */
const SEPARATOR_LINE = /^"?sep=(?:([^"\s])\1*|(\t)\t*)"? *$/i;

/**
 * The character that splits the header, which is the first line with text, so that it names all of these columns; spreadsheets of
 * many countries write semicolons, and whatever the line `sep=|` before it says. Null when none does.
 */
export function separatorOf(bytes: Uint8Array, columns: readonly string[]): string | null {
  const header = headerOf(bytes, (named) => columns.every((column) => named.has(column)));
  return header?.separator ?? null;
}

/** The same for what else a header may have to name; `columns` are as `columnName` has them. */
export function headerOf(
  bytes: Uint8Array,
  isMeant: (named: ReadonlySet<string>) => boolean,
): { separator: string; columns: string[] } | null {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_HEADER_LENGTH));
  const lines = text.split(/\r|\n/).filter((line) => /[^\s",;]/.test(line));
  const [, plain, tab] = SEPARATOR_LINE.exec(lines[0] ?? '') ?? [];
  const said = plain ?? tab;
  const header = (said === undefined ? lines[0] : lines[1]) ?? '';
  for (const separator of said === undefined ? SEPARATORS : [said, ...SEPARATORS]) {
    const columns = header.split(separator).map(columnName);
    if (isMeant(new Set(columns))) return { separator, columns };
  }
  return null;
}

/** Columns are named in any case, with blanks and quotes around. */
export function columnName(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase();
}
