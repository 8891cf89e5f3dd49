export type Align = 'left' | 'right';

/** Characters of the line below a head, at most: the last column may hold sentences. */
const MAX_RULE_LENGTH = 60;

/** A table for a terminal: columns as wide as they need to be, two spaces between them, no trailing blanks. */
export function textTable(head: string[], rows: string[][], align: Align[] = []): string {
  // Not all as arguments of one call: a table may have more rows than a call takes.
  const widths = head.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(title)),
  );
  const line = (cells: string[]): string =>
    cells
      .map((cell, column) => {
        const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)));
        return align[column] === 'right' ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width, column) =>
    '─'.repeat(column === widths.length - 1 ? Math.min(width, MAX_RULE_LENGTH) : width),
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Cells on a terminal; East Asian wide characters take two, combining marks none. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text.normalize('NFC')) {
    if (/\p{Mark}/u.test(character)) continue;
    width += /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}]/u.test(
      character,
    )
      ? 2
      : 1;
  }
  return width;
}

/** Text of clients and files for a terminal: without control characters, which could move the cursor or worse. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
