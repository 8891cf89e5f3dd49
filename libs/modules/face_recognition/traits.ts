/**
 * Apparent traits of a face, summed over its views: divide by `weight`. JSON; all zero when no view was good enough.
 */
import { elementAt } from '@adit/contracts';
export type Traits = {
  /** Σ weight · probability of female, 0..1. */
  female: number;
  /** Σ weight · years. */
  age: number;
  weight: number;
};

export const NO_TRAITS: Traits = { female: 0, age: 0, weight: 0 };

/** Returns the traits of one track, from its best view, with the weight of its views. */
export function traitsOf(track: { female: number | null; age: number | null }, weight: number): Traits {
  if (track.female === null || track.age === null || weight <= 0) return NO_TRAITS;
  return { female: track.female * weight, age: track.age * weight, weight };
}

export function addTraits(a: Traits, b: Traits): Traits {
  return { female: a.female + b.female, age: a.age + b.age, weight: a.weight + b.weight };
}

export const GENDERS = ['female', 'male'] as const;
export type Gender = (typeof GENDERS)[number];

export const AGE_RANGES = ['0-17', '18-29', '30-44', '45-59', '60-120'] as const;
export type AgeRange = (typeof AGE_RANGES)[number];

/** Ages at which the next range begins. */
const BORDERS = [18, 30, 45, 60];

/** Returns the apparent gender; the traits need a weight. */
export function genderOf({ female, weight }: Traits): Gender {
  return mean(female, weight) >= 0.5 ? 'female' : 'male';
}

export function ageRangeOf({ age, weight }: Traits): AgeRange {
  const years = mean(age, weight);
  return elementAt(AGE_RANGES, BORDERS.filter((border) => years >= border).length);
}

/** Rounded, so that the order of summation does not matter. */
function mean(sum: number, weight: number): number {
  return Math.round((sum / weight) * 1e6) / 1e6;
}
