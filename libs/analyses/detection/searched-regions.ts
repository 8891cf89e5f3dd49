import type { PixelBox, ScoredBox } from '@adit/inference';
import { changedBlocks, type Blocks } from '../tracking/blocks.js';

/** Returns what lies in a region of a picture, all of it or a tile; `search` looks for it, where nobody knows. */
export type RegionSearch = (
  region: PixelBox,
  kind: 'whole' | 'tile',
  search: () => Promise<ScoredBox[]>,
) => Promise<ScoredBox[]>;

/**
 * Remembers what was found in each region of a film's pictures: where a later picture shows the same, nobody looks again.
 * Pictures have one size, and come one after the other, so that answers depend on the film alone.
 */
export class SearchedRegions {
  readonly #last = new Map<string, { blocks: Blocks; found: ScoredBox[] }>();

  /**
   * The search of the next picture, which has these blocks. `people`, in pixels, are there and large enough to be found in the
   * whole: what moves in their places is no reason to search tiles for small ones.
   */
  next(blocks: Blocks, people: readonly PixelBox[]): RegionSearch {
    return async (region, kind, search) => {
      const key = [region.x, region.y, region.w, region.h].join();
      const last = this.#last.get(key);
      const isUnchanged = (before: Blocks): boolean =>
        changedBlocks(blocks, [before], region, kind === 'tile' ? people : []) === 0;
      if (last !== undefined && isUnchanged(last.blocks)) return last.found;
      const found = await search();
      // The blocks of the picture that was searched: a slow change adds up until it is one.
      this.#last.set(key, { blocks, found });
      return found;
    };
  }
}
