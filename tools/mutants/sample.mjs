import { createHash } from 'node:crypto';

/**
 * At most `size` of the mutants, as many of each package where it has them: `packages` are lists of mutants. Which ones hangs on
 * the seed and on each mutant itself, so a change elsewhere takes no others, and a smaller sample is the beginning of a larger one.
 */
export function sample(packages, { seed, size }) {
  const lots = packages.map((mutants) => ranked(mutants, seed));
  const longest = Math.max(0, ...lots.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, turn) => lots.flatMap((lot) => lot.slice(turn, turn + 1)));
  return turns.flat().slice(0, size);
}

function ranked(mutants, seed) {
  const seen = new Map();
  const lots = mutants.map((mutant) => {
    const key = [seed, mutant.file, mutant.from, mutant.to].join('\n');
    // Lines that stand in a file twice.
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return { mutant, lot: createHash('sha256').update(`${key}\n${nth}`).digest('hex') };
  });
  return lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ mutant }) => mutant);
}
