import { elementAt } from '@adit/contracts';
import type { Letter } from './ctc.js';

/** A line as one language's recogniser reads it, and the characters that recogniser knows. */
export interface Reading {
  letters: readonly Letter[];
  known: ReadonlySet<string>;
}

/** A reading with the index of each letter's counterpart in it, −1 for none. */
interface AlignedReading {
  reading: Reading;
  places: readonly number[];
}

/** Letters that are no base letter with a mark, and those that a recogniser without accents takes them for. */
const TAKEN_FOR = new Map(
  Object.entries({
    ...{ ł: 'lt', Ł: 'L', ß: 'Bb', ı: 'il', İ: 'iIl', ø: 'o', Ø: 'O' },
    // Characters of the same stroke in many fonts.
    ...{ I: 'l|', l: 'I|', '’': "'", '‘': "'", '“': '"', '”': '"' },
  }),
);
/** Difference above which two characters are no forms of one letter. */
const SAME_LETTER = 0.5;
/** Alignment costs of a missing character and of a different one. */
const LACKING = 0.8;
const OTHER = 1.2;

/**
 * Restores the accents of `letters`, which are certain except for their accents, from several readings. Each reading is
 * aligned to the letters; of a letter's forms the one wins that the recognisers who know it are surest of on average.
 * So the language of a line need not be known, and a foreign name keeps its marks.
 */
export function withAccents(letters: readonly Letter[], readings: readonly Reading[]): Letter[] {
  const aligned = readings.map((reading) => ({ reading, places: align(letters, reading.letters) }));
  return letters.flatMap((letter, i) => {
    const named = new Map<string, number>([[letter.character, 0]]);
    for (const { reading, places } of aligned) {
      const other = reading.letters[elementAt(places, i)];
      if (!other || difference(letter.character, other.character) > SAME_LETTER) continue;
      named.set(other.character, (named.get(other.character) ?? 0) + other.likelihood);
    }
    let best = letter;
    let highest = -1;
    for (const [character, sum] of named) {
      const knows = ({ reading, places }: AlignedReading): boolean =>
        elementAt(places, i) >= 0 && reading.known.has(character);
      const able = aligned.filter(knows).length;
      const mean = able === 0 ? 0 : sum / able;
      if (mean > highest) {
        highest = mean;
        best = { character, likelihood: letter.likelihood };
      }
    }
    const isWithin = [letter, letters[i + 1]].every((each) => each !== undefined && each.character !== ' ');
    return isWithin && isSpaced(i, aligned) ? [best, { character: ' ', likelihood: letter.likelihood }] : [best];
  });
}

/** Tests whether most recognisers see a gap between a letter and the next. */
function isSpaced(i: number, aligned: readonly AlignedReading[]): boolean {
  let voters = 0;
  let gaps = 0;
  for (const { reading, places } of aligned) {
    const [from, to] = [elementAt(places, i), elementAt(places, i + 1)];
    if (from < 0 || to < 0) continue;
    voters++;
    if (to === from + 2 && reading.letters[from + 1]?.character === ' ') gaps++;
  }
  return voters > 0 && 2 * gaps > voters;
}

/** Returns 0 for the same character, below a half for forms of one letter, 1 for others. */
function difference(plain: string, other: string): number {
  if (plain === other) return 0;
  if (base(plain) === base(other)) return 0.1;
  const taken = TAKEN_FOR.get(other);
  if (taken?.includes(plain)) return 0.15;
  return base(plain).toLowerCase() === base(other).toLowerCase() ? 0.6 : 1;
}

/** Strips a letter's marks. */
function base(character: string): string {
  return character.normalize('NFD').replace(/\p{M}/gu, '');
}

/** Returns for each of `letters` the index of its counterpart in `other`, −1 for none, by the cheapest alignment. */
function align(letters: readonly Letter[], other: readonly Letter[]): number[] {
  const columns = other.length + 1;
  const costs = new Float64Array((letters.length + 1) * columns);
  const cost = (i: number, j: number): number => elementAt(costs, i * columns + j);
  const replaced = (i: number, j: number): number => {
    const [one, another] = [elementAt(letters, i - 1), elementAt(other, j - 1)];
    return cost(i - 1, j - 1) + OTHER * difference(one.character, another.character);
  };
  for (let j = 1; j < columns; j++) costs[j] = j * LACKING;
  for (let i = 1; i <= letters.length; i++) {
    costs[i * columns] = i * LACKING;
    for (let j = 1; j < columns; j++) {
      const skipped = Math.min(cost(i - 1, j), cost(i, j - 1)) + LACKING;
      costs[i * columns + j] = Math.min(replaced(i, j), skipped);
    }
  }
  const counterparts = new Array<number>(letters.length).fill(-1);
  for (let i = letters.length, j = other.length; i > 0 && j > 0;) {
    if (Math.abs(cost(i, j) - replaced(i, j)) < 1e-9) counterparts[--i] = --j;
    else if (Math.abs(cost(i, j) - cost(i - 1, j) - LACKING) < 1e-9) i--;
    else j--;
  }
  return counterparts;
}
