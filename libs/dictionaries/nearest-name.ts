import { editDistance, editsWithin } from './edit-distance.js';

/** Least similarity of a suggested name. */
const ALIKE = 0.5;
/** Limit on the input's length, since the time is the product of both lengths. */
const MAX_LENGTH = 100;

/** Returns the name that a misspelt one probably means; null when none is similar. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const shown = given.slice(0, MAX_LENGTH);
  const [nearest] = names.toSorted((a, b) => editDistance(shown, a) - editDistance(shown, b));
  if (nearest === undefined) return null;
  return editDistance(shown, nearest) <= editsWithin(ALIKE, shown.length, nearest.length) ? nearest : null;
}
