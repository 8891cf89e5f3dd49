import { editDistance, editsWithin } from '@adit/dictionaries';
import { foldName } from './fold-name.js';

/** From this likeness of their folded forms two readings are one name: one letter of seven may differ. */
const LIKENESS = 0.86;

/** Whether two readings are one name, misread. Names that differ in a whole word are two people. */
export function sameName(a: string, b: string): boolean {
  const [one, other] = [foldName(a), foldName(b)];
  return editDistance(one, other) <= editsWithin(LIKENESS, Array.from(one).length, Array.from(other).length);
}
