import { AGE_RANGES, ageRangeOf, GENDERS, genderOf } from './traits.js';
import type { AgeRange, Gender, Traits } from './traits.js';

/** Something counted by gender and by age: people, or the seconds that show them. JSON. */
export type Tally = { gender: Record<Gender, number>; age: Record<AgeRange, number> };

export function emptyTally(): Tally {
  const zeros = <K extends string>(keys: readonly K[]) =>
    Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
  return { gender: zeros(GENDERS), age: zeros(AGE_RANGES) };
}

/** Counts `amount` for somebody; the tally is changed in place. */
export function count(tally: Tally, traits: Traits, amount: number): void {
  tally.gender[genderOf(traits)] += amount;
  tally.age[ageRangeOf(traits)] += amount;
}

/** Share of female of all, 0..1; null when nothing was counted. */
export function femaleShare({ gender }: Tally): number | null {
  const all = gender.female + gender.male;
  return all > 0 ? gender.female / all : null;
}
