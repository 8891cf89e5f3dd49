import { editDistance, editsWithin } from './edit-distance.js';

/** How alike a name has to be to be what was meant. */
const ALIKE = 0.5;
/** A name is somebody's input, and the time is that of the two lengths multiplied. */
const LONGEST = 100;

/** Of `names` the one that was probably meant by a misspelt one; null when none is like it. */
export function nearestName(given: string, names: readonly string[]): string | null {
  const shown = given.slice(0, LONGEST);
  const [nearest] = names.toSorted((a, b) => editDistance(shown, a) - editDistance(shown, b));
  if (nearest === undefined) return null;
  return editDistance(shown, nearest) <= editsWithin(ALIKE, shown.length, nearest.length) ? nearest : null;
}
