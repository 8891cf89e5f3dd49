import levenshtein from 'fastest-levenshtein';

/** Rounding of a similarity must not decide whether it reaches a threshold. */
const EPSILON = 1e-9;
const BEYOND_BASIC_PLANE = /[\uD800-\uDFFF]/;

/**
 * Normalised Levenshtein similarity: 1 − distance / length of the longer, 1 for two empty texts. Lengths in code
 * points.
 */
export function similarityOf(distance: number, a: number, b: number): number {
  const longer = Math.max(a, b);
  return longer === 0 ? 1 : 1 - distance / longer;
}

/** Returns the most edits between texts of these lengths whose similarity still reaches `threshold`, 0..1. */
export function editsWithin(threshold: number, a: number, b: number): number {
  return Math.floor((1 - threshold) * Math.max(a, b) + EPSILON);
}

/** Levenshtein distance of two texts in code points. */
export function editDistance(a: string, b: string): number {
  if (!BEYOND_BASIC_PLANE.test(a) && !BEYOND_BASIC_PLANE.test(b)) return levenshtein.distance(a, b);
  // The library counts UTF-16 units, so both texts are mapped to an alphabet with one unit per code point.
  const alphabet = new Map<string, string>();
  const letterOf = (point: string): string => {
    const letter = alphabet.get(point) ?? String.fromCharCode(alphabet.size);
    alphabet.set(point, letter);
    return letter;
  };
  const [one, other] = [a, b].map((text) => Array.from(text, letterOf).join(''));
  return levenshtein.distance(one ?? '', other ?? '');
}
