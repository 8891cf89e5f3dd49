const MARK = /%PDF-\d\.\d[ \t]*[\r\n%]/g;
/** As far as Acrobat looks for the mark, whatever is in front of it. */
const ANYWHERE_BYTES = 1024;
/** As far as it counts at the beginning of a line: the head of a mail or of a request may be that long. */
const LINE_BYTES = 64 << 10;

/**
 * Where a document begins in a file's first bytes: at once, or behind what a mailer, a printer driver or a download has left in front of
 * it. Null where none does: a text that only names the mark is none.
 */
export function pdfStart(head: Buffer): number | null {
  const text = head.toString('latin1', 0, LINE_BYTES);
  if (text.startsWith('%PDF-')) return 0;
  for (const { index } of text.matchAll(MARK)) {
    const isReached = index < ANYWHERE_BYTES || /[\r\n]/.test(text.charAt(index - 1));
    if (isReached && /\d\s+\d+\s+obj\b/.test(text.slice(index))) return index;
  }
  return null;
}
