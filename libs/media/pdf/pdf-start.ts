const MARK = /%PDF-\d\.\d[ \t]*[\r\n%]/g;
/** Bytes in which Acrobat searches for the header, whatever precedes it. */
const ANYWHERE_BYTES = 1024;
/** Bytes in which the header counts at the beginning of a line: mail and HTTP headers may be that long. */
const LINE_BYTES = 64 << 10;

/**
 * Returns the offset of a document in a file's first bytes: 0, or behind data that a mailer, a printer driver or a
 * download left in front of it. Null for a text that only mentions the header.
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
