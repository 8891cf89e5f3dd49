import { isUtf8 } from 'node:buffer';
import { AditError } from '@adit/contracts';

const MAX_LABELS = 100_000;

/**
 * Decodes a text file as editors save it: UTF-8, or UTF-16 as on Windows, without its byte order mark. Throws
 * VALIDATION, naming the file, for other bytes.
 */
export function textOf(bytes: Uint8Array, name: string): string {
  const encoding = utf16Of(bytes);
  if (encoding === null) {
    if (!isUtf8(bytes) || bytes.includes(0)) throw refused(`${name} is not UTF-8 text: save it as UTF-8.`);
    return new TextDecoder().decode(bytes);
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refused(`${name} is not UTF-16 text, though it looks like it: save it as UTF-8.`);
  }
}

/** Detects UTF-16 by its mark; without one, by the zero in every second byte of Western text. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (bytes.length % 2 !== 0 || !bytes.includes(0)) return null;
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // A line break has such a zero byte even in non-Western text.
  if (even > 0 && odd > 0) return null;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}

/**
 * Splits into one label per line, without trailing blank lines. In a list of characters a space is one of them, at the
 * end too. Throws VALIDATION for a blank line between two labels, which would shift all that follow, and for too many
 * lines.
 */
export function labelLines(text: string): string[] {
  const given = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const characters = given.filter((line) => /^.$/u.test(line)).length;
  const lines = 2 * characters > given.length ? given : given.map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_LABELS) throw refused(`There are ${lines.length} labels; at most ${MAX_LABELS} are read.`);
  const empty = lines.indexOf('');
  if (empty !== -1) throw refused(`Line ${empty + 1} of the labels is empty: each class needs a label.`);
  return lines;
}

function refused(message: string): AditError {
  return new AditError('VALIDATION', message);
}
