// A global is looked up anew each time in jest's contexts, and slowly: too slow for each of a million values.
const { imul } = Math;

/** Numbers from 0 to below 1 that `seed` determines (mulberry32): noise, and plans that a failing run can repeat. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
