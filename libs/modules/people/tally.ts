import { ageRangeOf, genderOf } from '../face_recognition/traits.js';
import type { AgeRange, Gender, Traits } from '../face_recognition/traits.js';

/** Counts by gender and by age, of people or of their seconds. JSON. */
export type Tally = { gender: Record<Gender, number>; age: Record<AgeRange, number> };

export function emptyTally(): Tally {
  return { gender: { female: 0, male: 0 }, age: { '0-17': 0, '18-29': 0, '30-44': 0, '45-59': 0, '60-120': 0 } };
}

/** Adds `amount` for a person, in place. */
export function count(tally: Tally, traits: Traits, amount: number): void {
  tally.gender[genderOf(traits)] += amount;
  tally.age[ageRangeOf(traits)] += amount;
}

/** Returns the share of female, 0..1; null when nothing was counted. */
export function femaleShare({ gender }: Tally): number | null {
  const all = gender.female + gender.male;
  return all > 0 ? gender.female / all : null;
}
