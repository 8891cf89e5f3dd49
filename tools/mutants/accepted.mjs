// Survivors that were looked at, each with the reason why no test can or should notice.
import { readFileSync } from 'node:fs';

const FILE = new URL('./accepted.json', import.meta.url);

/**
 * @typedef {{ file: string, from: string, to: string, reason: string }} Accepted `from` and `to` as a mutant has them
 * @returns {Accepted[]}
 */
export function acceptedSurvivors() {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** The entry about a mutant, wherever in its file the line has moved. */
export function acceptedAs(mutant, accepted) {
  return accepted.find(({ file, from, to }) => file === mutant.file && from === mutant.from && to === mutant.to);
}

/** Entries about `files` that are no mutant of today's sources: what they were about has changed. */
export function outdated(accepted, mutants, files) {
  return accepted.filter(
    (entry) => files.includes(entry.file) && !mutants.some((mutant) => acceptedAs(mutant, [entry])),
  );
}
