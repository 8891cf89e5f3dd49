// Report of a run for people.

/**
 * @typedef {object} Result
 * @property {import('./mutate.mjs').Mutant} mutant
 * @property {string} outcome one of OUTCOMES
 * @property {string | null} by the suite and the test that noticed it
 * @property {string} [reason] why nothing has to
 */
const OUTCOMES = ['killed', 'timed out', 'survived', 'no coverage'];

/**
 * Nothing noticed it.
 * @param {Result} result
 */
export const lives = ({ outcome }) => outcome === 'survived' || outcome === 'no coverage';

/** @param {Result} result */
export function line({ mutant, outcome, by }, done, all) {
  const place = `${mutant.file}:${mutant.line}`;
  const who = by === null || by === undefined ? '' : `  (${by})`;
  return `${String(done).padStart(String(all).length)}/${all} ${outcome.padEnd(11)} ${place} ${mutant.kind}${who}`;
}

/**
 * Shows the original and the mutated text, and the reason if the survivor is accepted.
 * @param {Result} result
 */
export function survivor({ mutant, outcome, reason }) {
  const indent = (mark, text) => text.split('\n').map((row) => `  ${mark} ${row.trim()}`);
  const verdict = reason === undefined ? 'not accepted' : `accepted: ${reason}`;
  const head = `${mutant.file}:${mutant.line} ${mutant.kind}, ${outcome}, ${verdict}`;
  return [head, ...indent('-', mutant.from), ...indent('+', mutant.to)].join('\n');
}

/**
 * Table of mutants by package and outcome, with the percentage noticed.
 * @param {Result[]} results
 */
export function table(results, folders) {
  const rows = folders.map((folder) => [folder, results.filter(({ mutant }) => mutant.file.startsWith(`${folder}/`))]);
  const head = ['', 'mutants', ...OUTCOMES, 'accepted', 'noticed'];
  const cells = [...rows, ['all', results]].map(([name, those]) => [
    name,
    those.length,
    ...OUTCOMES.map((outcome) => those.filter((result) => result.outcome === outcome).length),
    those.filter((result) => lives(result) && result.reason !== undefined).length,
    those.length === 0
      ? '–'
      : `${Math.round((100 * those.filter((result) => !lives(result)).length) / those.length)} %`,
  ]);
  const columns = head.map((_, at) => Math.max(...[head, ...cells].map((row) => String(row[at]).length)));
  const pad = (cell, at) => (at === 0 ? String(cell).padEnd(columns[at]) : String(cell).padStart(columns[at]));
  return [head, ...cells].map((row) => row.map(pad).join('  ')).join('\n');
}
