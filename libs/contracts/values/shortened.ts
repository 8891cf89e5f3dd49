/** Characters that would be read as layout, or that PostgreSQL's jsonb does not take (NUL). */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const ELLIPSIS = '…';

/**
 * Text for a person in at most `maxBytes` bytes of UTF-8: whole words, and an ellipsis for what was left out; one word that is
 * too long is cut between characters. Control characters become blanks, half surrogates U+FFFD, so that every store takes it.
 */
export function shortened(text: string, maxBytes: number): string {
  // Only what can be shown is looked at, however long the rest is; a character has at least one byte.
  const whole = text.length > maxBytes + 1 ? text.slice(0, maxBytes + 1) : text;
  const bytes = Buffer.from(whole.replaceAll(CONTROL, ' '));
  if (bytes.length <= maxBytes) return bytes.toString();
  let end = Math.max(0, maxBytes - Buffer.byteLength(ELLIPSIS));
  // Not in the middle of a character.
  while (end > 0 && (bytes.readUInt8(end) & 0xc0) === 0x80) end -= 1;
  const cut = bytes.toString('utf8', 0, end);
  const words = bytes[end] === 0x20 ? cut.length : cut.lastIndexOf(' ');
  return `${cut.slice(0, words > 0 ? words : cut.length).trimEnd()}${ELLIPSIS}`;
}
