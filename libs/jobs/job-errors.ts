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

/** A job's errors with those that are new, each once and as many as fit; null when none is added. */
export function withErrors(errors: readonly string[], reasons: readonly string[]): string[] | null {
  if (errors.at(-1) === MORE_ERRORS) return null;
  const all = [...errors];
  let bytes = errors.reduce((sum, error) => sum + bytesOf(error), 0);
  for (const reason of reasons) {
    // An address and its reason fit; whatever else is longer is cut here.
    const error = shortened(reason, MAX_ADDRESS_BYTES + MAX_REASON_BYTES + 2);
    if (all.includes(error)) continue;
    bytes += bytesOf(error);
    const full = all.length === MAX_ERRORS - 1 || bytes > MAX_ERRORS_BYTES;
    all.push(full ? MORE_ERRORS : error);
    if (full) break;
  }
  return all.length === errors.length ? null : all;
}

function bytesOf(error: string): number {
  return Buffer.byteLength(JSON.stringify(error)) + 1;
}
