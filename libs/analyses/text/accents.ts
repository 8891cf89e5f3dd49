import type { Letter } from './ctc.js';

/** A line as one reader of a language reads it, and which characters that reader knows at all. */
export interface Reading {
  letters: readonly Letter[];
  known: ReadonlySet<string>;
}

/** What a recogniser without accents takes letters for that are no base letter with a mark. */
const TAKEN_FOR = new Map(
  Object.entries({
    ...{ ł: 'lt', Ł: 'L', ß: 'Bb', ı: 'il', İ: 'iIl', ø: 'o', Ø: 'O' },
    // The same stroke in many fonts.
    ...{ I: 'l|', l: 'I|', '’': "'", '‘': "'", '“': '"', '”': '"' },
  }),
);
/** Above this two characters are no forms of one. */
const SAME_LETTER = 0.5;
/** Costs of an alignment: a character that one of both lacks, and one that is another. */
const LACKING = 0.8;
const OTHER = 1.2;

/**
 * `letters`, which are surely there but have lost their accents, with the accents that the readers see. Each reader is
 * aligned to the letters; of the forms of a letter that readers name, the one wins that those who know it are surest of
 * on average. So nobody has to say which language a line is in, and a name of another language keeps its marks.
 */
export function withAccents(letters: readonly Letter[], readings: readonly Reading[]): Letter[] {
  const aligned = readings.map((reading) => ({ reading, places: align(letters, reading.letters) }));
  return letters.flatMap((letter, i) => {
    const named = new Map<string, number>([[letter.character, 0]]);
    for (const { reading, places } of aligned) {
      const other = reading.letters[places[i]!];
      if (!other || difference(letter.character, other.character) > SAME_LETTER) continue;
      named.set(other.character, (named.get(other.character) ?? 0) + other.likelihood);
    }
    let best = letter;
    let highest = -1;
    for (const [character, sum] of named) {
      const able = aligned.filter(({ reading, places }) => places[i]! >= 0 && reading.known.has(character)).length;
      const mean = able === 0 ? 0 : sum / able;
      if (mean > highest) {
        highest = mean;
        best = { character, likelihood: letter.likelihood };
      }
    }
    return isSpaced(letters, i, aligned) ? [best, { character: ' ', likelihood: letter.likelihood }] : [best];
  });
}

/** Whether most readers see a gap behind a letter where the recogniser saw none. */
function isSpaced(
  letters: readonly Letter[],
  i: number,
  aligned: readonly { reading: Reading; places: readonly number[] }[],
): boolean {
  const next = letters[i + 1];
  if (next === undefined || next.character === ' ' || letters[i]!.character === ' ') return false;
  let voters = 0;
  let gaps = 0;
  for (const { reading, places } of aligned) {
    const [from, to] = [places[i]!, places[i + 1]!];
    if (from < 0 || to < 0) continue;
    voters++;
    if (to === from + 2 && reading.letters[from + 1]!.character === ' ') gaps++;
  }
  return voters > 0 && 2 * gaps > voters;
}

/** 0 for the same character, below a half for forms of one letter, 1 for others. */
function difference(plain: string, other: string): number {
  if (plain === other) return 0;
  if (base(plain) === base(other)) return 0.1;
  const taken = TAKEN_FOR.get(other);
  if (taken?.includes(plain)) return 0.15;
  return base(plain).toLowerCase() === base(other).toLowerCase() ? 0.6 : 1;
}

/** The letter without its marks. */
function base(character: string): string {
  return character.normalize('NFD').replace(/\p{M}/gu, '');
}

/** For each of `letters` the place of its counterpart in `other`, −1 for none, by the cheapest alignment. */
function align(letters: readonly Letter[], other: readonly Letter[]): number[] {
  const columns = other.length + 1;
  const costs = new Float64Array((letters.length + 1) * columns);
  const replaced = (i: number, j: number): number =>
    costs[(i - 1) * columns + j - 1]! + OTHER * difference(letters[i - 1]!.character, other[j - 1]!.character);
  for (let j = 1; j < columns; j++) costs[j] = j * LACKING;
  for (let i = 1; i <= letters.length; i++) {
    costs[i * columns] = i * LACKING;
    for (let j = 1; j < columns; j++) {
      const skipped = Math.min(costs[(i - 1) * columns + j]!, costs[i * columns + j - 1]!) + LACKING;
      costs[i * columns + j] = Math.min(replaced(i, j), skipped);
    }
  }
  const counterparts = new Array<number>(letters.length).fill(-1);
  for (let i = letters.length, j = other.length; i > 0 && j > 0;) {
    const cost = costs[i * columns + j]!;
    if (Math.abs(cost - replaced(i, j)) < 1e-9) counterparts[--i] = --j;
    else if (Math.abs(cost - costs[(i - 1) * columns + j]! - LACKING) < 1e-9) i--;
    else j--;
  }
  return counterparts;
}
