import type { EntryIndex } from './entry-index.js';

/**
 * Finds the longest entry within a label. Every part of the label that has the length of an entry is looked up, so a
 * label of L characters costs at most L look-ups per distinct length, however many entries there are.
 */
export class ContainedIndex implements EntryIndex {
  /** Longest first, in UTF-16 units. */
  private readonly lengths: number[];

  constructor(
    private readonly places: ReadonlyMap<string, number>,
    readonly size: number,
  ) {
    this.lengths = [...new Set([...places.keys()].map((key) => key.length))].sort((a, b) => b - a);
  }

  /** The first of equally long entries wins, in list order. */
  find(folded: string): number | null {
    for (const length of this.lengths) {
      let best: number | null = null;
      for (let at = 0; at + length <= folded.length; at += 1) {
        const place = this.places.get(folded.slice(at, at + length));
        if (place !== undefined && (best === null || place < best)) best = place;
      }
      if (best !== null) return best;
    }
    return null;
  }
}
