import { shortened } from '@adit/contracts';

/** Maximum number of errors of a job: one of ten thousand unreadable pictures lists the first ones. */
const MAX_ERRORS = 100;
/** Maximum size of a job's errors in bytes of JSON: events carry them, so all together have to fit a message. */
const MAX_ERRORS_BYTES = 96 * 1024;
const MORE_ERRORS = 'Further errors are left out.';
/** Part of an address that is kept in front of the reason why it is refused. */
const MAX_ADDRESS_BYTES = 400;
const MAX_REASON_BYTES = 1_000;

/** Shortens a reason to at most 1,000 bytes, to be stored and sent. */
export function reasonOf(text: string): string {
  return shortened(text, MAX_REASON_BYTES);
}

/** Error of a job for one source that cannot be mined. */
export function sourceError(source: string, reason: string): string {
  return `${shortened(source, MAX_ADDRESS_BYTES)}: ${reasonOf(reason)}`;
}

/**
 * Adds new errors to a job's, each once and as many as fit; null when nothing changes. A new one takes the place of
 * the first that it `replaces`.
 */
export function withErrors(
  errors: readonly string[],
  reasons: readonly string[],
  replaces: (known: string) => boolean = () => false,
): string[] | null {
  const place = errors.findIndex(replaces);
  const [first] = reasons;
  if (place >= 0 && first !== undefined) return withErrorAt(errors, place, whole(first));
  if (errors.at(-1) === MORE_ERRORS) return null;
  const all = [...errors];
  let bytes = errors.reduce((sum, error) => sum + bytesOf(error), 0);
  for (const reason of reasons) {
    const error = whole(reason);
    if (all.includes(error)) continue;
    bytes += bytesOf(error);
    const full = all.length === MAX_ERRORS - 1 || bytes > MAX_ERRORS_BYTES;
    all.push(full ? MORE_ERRORS : error);
    if (full) break;
  }
  return all.length === errors.length ? null : all;
}

/** Maximum number of errors of a live stream, which keeps the last ones, and of their bytes. */
const MAX_LIVE_ERRORS = 1_000;
const MAX_LIVE_ERRORS_BYTES = 256 * 1024;

/** Adds new errors to those of a live stream, which forgets the oldest; null when nothing changes. */
export function withLastErrors(
  errors: readonly string[],
  reasons: readonly string[],
  replaces: (known: string) => boolean = () => false,
): string[] | null {
  const added = reasons.map(whole).filter((error) => !errors.includes(error));
  if (added.length === 0) return null;
  const place = errors.findLastIndex(replaces);
  const kept = place < 0 ? errors : errors.toSpliced(place, 1);
  return lastOf([...kept, ...new Set(added)], MAX_LIVE_ERRORS_BYTES);
}

/** The errors of a live stream that an event carries: the last ones that fit a message. */
export function lastThatFit(errors: readonly string[]): string[] {
  return lastOf(errors, MAX_ERRORS_BYTES);
}

function lastOf(errors: readonly string[], maxBytes: number): string[] {
  let bytes = 0;
  const tooMany = errors.slice(-MAX_LIVE_ERRORS).findLastIndex((error) => (bytes += bytesOf(error)) > maxBytes);
  return errors.slice(-MAX_LIVE_ERRORS).slice(tooMany + 1);
}

/** Cuts an error that is too long; an address and its reason fit. */
function whole(reason: string): string {
  return shortened(reason, MAX_ADDRESS_BYTES + MAX_REASON_BYTES + 2);
}

/** Returns the errors with one more; null when it is there already, or does not fit. */
function withErrorAt(errors: readonly string[], place: number, error: string): string[] | null {
  const all = errors.with(place, error);
  const fits = all.reduce((sum, each) => sum + bytesOf(each), 0) <= MAX_ERRORS_BYTES;
  return fits && errors[place] !== error ? all : null;
}

function bytesOf(error: string): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
