import { shortened } from '@adit/contracts';

/** A job of ten thousand unreadable pictures says what is wrong with the first ones. */
const MAX_ERRORS = 100;
/** A job's events carry its errors, so all of them together have to fit a message; bytes of their JSON. */
const MAX_ERRORS_BYTES = 96 * 1024;
const MORE_ERRORS = 'Further errors are left out.';
/** What is kept of an address in front of the reason why it is refused. */
const MAX_ADDRESS_BYTES = 400;
const MAX_REASON_BYTES = 1_000;

/** A reason as it is stored and sent: in at most 1,000 bytes. */
export function reasonOf(text: string): string {
  return shortened(text, MAX_REASON_BYTES);
}

/** Why one source of a job cannot be mined, as the job's errors say it. */
export function sourceError(source: string, reason: string): string {
  return `${shortened(source, MAX_ADDRESS_BYTES)}: ${reasonOf(reason)}`;
}

/**
 * A job's errors with those that are new, each once and as many as fit; null when nothing changes. A new one takes the place of
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

/** An address and its reason fit; whatever else is longer is cut. */
function whole(reason: string): string {
  return shortened(reason, MAX_ADDRESS_BYTES + MAX_REASON_BYTES + 2);
}

/** Null when it is there already, or there is no room for what it says more. */
function withErrorAt(errors: readonly string[], place: number, error: string): string[] | null {
  const all = errors.with(place, error);
  const fits = all.reduce((sum, each) => sum + bytesOf(each), 0) <= MAX_ERRORS_BYTES;
  return fits && errors[place] !== error ? all : null;
}

function bytesOf(error: string): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
