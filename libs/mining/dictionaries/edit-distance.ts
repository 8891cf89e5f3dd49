/** Rounding of a similarity may not decide whether it reaches a threshold. */
const EPSILON = 1e-9;

/** Normalised Levenshtein similarity: 1 − distance / length of the longer, 1 for two empty texts. Lengths in code points. */
export function similarityOf(distance: number, a: number, b: number): number {
  const longer = Math.max(a, b);
  return longer === 0 ? 1 : 1 - distance / longer;
}

/** The most edits between texts of these lengths whose similarity still reaches `threshold`, 0..1. */
export function editsWithin(threshold: number, a: number, b: number): number {
  return Math.floor((1 - threshold) * Math.max(a, b) + EPSILON);
}

/**
 * Levenshtein distance of two texts given as code points, or `limit` + 1 when it is larger. Looks at a band of 2·limit + 1
 * cells a row (Ukkonen, Algorithms for approximate string matching, 1985).
 */
export function boundedDistance(a: readonly string[], b: readonly string[], limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  const over = limit + 1;
  let before = Array.from({ length: b.length + 1 }, (_, column) => Math.min(column, over));
  let row = new Array<number>(b.length + 1).fill(over);
  for (let i = 1; i <= a.length; i += 1) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    row.fill(over);
    if (i <= limit) row[0] = i;
    let least = row[0] as number;
    for (let j = from; j <= to; j += 1) {
      const replaced = (before[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cell = Math.min(replaced, (before[j] as number) + 1, (row[j - 1] as number) + 1, over);
      row[j] = cell;
      if (cell < least) least = cell;
    }
    if (least > limit) return over;
    [before, row] = [row, before];
  }
  return Math.min(before[b.length] as number, over);
}
