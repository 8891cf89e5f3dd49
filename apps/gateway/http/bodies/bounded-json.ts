import { AditError } from '@adit/contracts';

/**
 * Limits on JSON from outside, checked before it is parsed: a few megabytes of brackets, commas or keys would otherwise
 * block the process for seconds. The largest job fits twice: 10,000 pictures, read back with their results.
 */
export const JSON_LIMITS = {
  /** Levels; code that follows values down would run out of stack. */
  depth: 64,
  /** Members of one object. */
  members: 1_000,
  /** Elements of one list. */
  elements: 100_000,
  /** Values in all. */
  values: 500_000,
} as const;

/** Nest's validation takes these keys out of what it is given, wherever they are, and says nothing. */
const LOST = ['__proto__', 'constructor', 'prototype'];

/** Parses JSON that somebody sent. Throws VALIDATION for what is no JSON, too much of it, or holds a key that would be lost. */
export function boundedJson(sent: Buffer | string): unknown {
  const bytes = typeof sent === 'string' ? Buffer.from(sent) : sent;
  const fault = sizeFault(bytes);
  if (fault !== null) throw new AditError('VALIDATION', fault);
  const value = parsed(bytes);
  const key = lostKey(value);
  if (key !== null) throw new AditError('VALIDATION', `The JSON has a key that cannot be kept: ${key}.`);
  return value;
}

function parsed(bytes: Buffer): unknown {
  try {
    // PowerShell and others begin UTF-8 with a byte order mark.
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new AditError('VALIDATION', 'The body is not valid JSON.', { cause });
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** Counts brackets and commas outside of strings: one pass over the bytes, about 3 ms a megabyte. */
function sizeFault(bytes: Buffer): string | null {
  // Separators of the objects and lists that are open, the innermost last; of objects they count up, of lists down.
  const open: number[] = [];
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (byte === COMMA) {
      values += 1;
      const count = open.pop();
      if (count === undefined) continue;
      const isObject = count > 0;
      open.push(count + (isObject ? 1 : -1));
      if (isObject && count >= JSON_LIMITS.members) return `An object has at most ${JSON_LIMITS.members} members.`;
      if (-count >= JSON_LIMITS.elements) return `A list has at most ${JSON_LIMITS.elements} elements.`;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(byte === OPEN_OBJECT ? 1 : -1);
      values += 1;
      if (open.length > JSON_LIMITS.depth) return `JSON is nested at most ${JSON_LIMITS.depth} levels deep.`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      open.pop();
    }
    if (values > JSON_LIMITS.values) return `JSON has at most ${JSON_LIMITS.values} values.`;
  }
  return null;
}

/** Index at which the string that begins at `start` ends; the end of the bytes when it does not. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return bytes.length;
}

/** The first key that would be lost; nesting is bounded by now. */
function lostKey(value: unknown): string | null {
  if (value === null || typeof value !== 'object') return null;
  if (!Array.isArray(value)) {
    const key = LOST.find((name) => Object.hasOwn(value, name));
    if (key !== undefined) return key;
  }
  for (const member of Object.values(value)) {
    const key = lostKey(member);
    if (key !== null) return key;
  }
  return null;
}
