// A global is looked up anew each time in jest's contexts, and slowly: too slow for each of a million values.
const { abs } = Math;

/** By how much the values of two arrays differ on average, as of two pictures' pixels. Throws a RangeError when one is longer. */
export function meanDifference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  if (one.length !== other.length) throw new RangeError(`${one.length} values against ${other.length}`);
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += abs((one[i] ?? NaN) - (other[i] ?? NaN));
  return sum / one.length;
}
