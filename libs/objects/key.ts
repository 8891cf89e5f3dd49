import { AditError } from '@adit/contracts';

const MAX_LENGTH = 512;
/** File systems, and MinIO on top of them, hold names of 255 bytes; the rest is room for a driver's own mark. */
const SEGMENT = /^[A-Za-z0-9._-]{1,250}$/;
const SEGMENT_BEGINNING = /^[A-Za-z0-9._-]{0,250}$/;

/** Throws VALIDATION unless `key` is one of the port's keys. Every driver calls it first. */
export function checkKey(key: string): void {
  const valid = typeof key === 'string' && key.length <= MAX_LENGTH && key.split('/').every(isSegment);
  if (!valid) throw invalid(key, 'segments of letters, digits, ".", "_" and "-" (at most 250), joined by "/"');
}

/** A prefix is a key or the beginning of one; the empty prefix is the beginning of all. Throws VALIDATION. */
export function checkPrefix(prefix: string): void {
  const segments = typeof prefix === 'string' ? prefix.split('/') : [];
  // The part behind the last "/" only begins a segment: it may be empty, or a dot.
  const beginning = segments.pop();
  const valid =
    beginning !== undefined &&
    prefix.length <= MAX_LENGTH &&
    segments.every(isSegment) &&
    SEGMENT_BEGINNING.test(beginning);
  if (!valid) throw invalid(prefix, 'the beginning of a key');
}

function isSegment(segment: string): boolean {
  return SEGMENT.test(segment) && segment !== '.' && segment !== '..';
}

function invalid(key: unknown, expected: string): AditError {
  const shown = JSON.stringify(String(key).slice(0, 80));
  return new AditError(
    'VALIDATION',
    `${shown} is not an object key. Use ${expected}, ${MAX_LENGTH} characters in all.`,
  );
}
