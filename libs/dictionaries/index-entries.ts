import { ContainedIndex } from './contained-index.js';
import type { Comparison } from './dictionary.js';
import type { EntryIndex } from './entry-index.js';
import { foldText } from './fold-text.js';
import { SimilarIndex } from './similar-index.js';

/** Characters that are folded per step; one may become eighteen. */
const CHARACTERS_PER_STEP = 16_384;
/** Bytes per entry of an index, beside its text. */
const PLACE_BYTES = 80;

/**
 * Builds an index over unfolded entries for one comparison, step by step, since 100,000 entries take seconds. Of
 * entries with equal folded text the first counts; empty ones match nothing.
 */
export function* indexing(sources: readonly string[], { mode, threshold }: Comparison): Generator<void, EntryIndex> {
  const places = new Map<string, number>();
  let characters = 0;
  let size = 0;
  for (const [place, source] of sources.entries()) {
    const folded = foldText(source);
    if (folded !== '' && !places.has(folded)) {
      places.set(folded, place);
      size += PLACE_BYTES + 2 * folded.length;
    }
    characters += source.length + folded.length;
    if (characters < CHARACTERS_PER_STEP) continue;
    yield;
    characters = 0;
  }
  switch (mode) {
    case 'exact':
      return { size, find: (folded) => places.get(folded) ?? null };
    case 'contains':
      return new ContainedIndex(places, size);
    case 'fuzzy':
      return yield* SimilarIndex.over(places, threshold, size);
  }
}
