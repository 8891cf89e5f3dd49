import type { PixelBox, ScoredBox } from '@adit/inference';
import { changedBlocks, type Blocks } from '../tracking/blocks.js';

/** Returns what lies in a region of a picture, all of it or a tile; `search` looks for it, where nobody knows. */
export type RegionSearch = (
  region: PixelBox,
  kind: 'whole' | 'tile',
  search: () => Promise<ScoredBox[]>,
) => Promise<ScoredBox[]>;

/**
 * Remembers in which regions of a film's pictures nothing was found: where a later picture shows the same, nobody looks again.
 * What was found is looked for again, as a proposal of one picture that another picture confirms is more often false.
 * Pictures have one size, and come one after the other, so that answers depend on the film alone.
 */
export class SearchedRegions {
  readonly #empty = new Map<string, Blocks>();

  /**
   * The search of the next picture, which has these blocks. `people`, in pixels, are there and large enough to be found in the
   * whole: what moves in their places is no reason to search tiles for small ones.
   */
  next(blocks: Blocks, people: readonly PixelBox[]): RegionSearch {
    return async (region, kind, search) => {
      const key = [region.x, region.y, region.w, region.h].join();
      const empty = this.#empty.get(key);
      const isUnchanged = (before: Blocks): boolean =>
        changedBlocks(blocks, [before], region, kind === 'tile' ? people : []) === 0;
      if (empty !== undefined && isUnchanged(empty)) return [];
      const found = await search();
      // The blocks of the picture that was searched: a slow change adds up until it is one.
      if (found.length === 0) this.#empty.set(key, blocks);
      else this.#empty.delete(key);
      return found;
    };
  }
}
