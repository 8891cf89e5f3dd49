import { editDistance, editsWithin } from '@adit/dictionaries';
import { foldName } from './fold-name.js';

/** Similarity of folded forms from which two readings are one name: one letter of seven may differ. */
const LIKENESS = 0.86;

/** Tests whether two readings are one misread name. Names that differ in a whole word are two people. */
export function sameName(a: string, b: string): boolean {
  const [one, other] = [foldName(a), foldName(b)];
  return editDistance(one, other) <= editsWithin(LIKENESS, Array.from(one).length, Array.from(other).length);
}
