import type { DictionarySpecification } from '@adit/contracts';
import { ContainedIndex } from './contained-index.js';
import { foldText } from './fold-text.js';
import { SimilarIndex } from './similar-index.js';

/** Finds the entry that a label means. Texts are folded. */
export interface EntryIndex {
  /** Place of the best entry in the list the index was made of; null when none is like the label. */
  find(folded: string): number | null;
}

/**
 * An index over entries (not folded yet) for one way of comparing. Of entries that fold to the same the first counts;
 * empty ones match nothing.
 */
export function indexEntries(
  sources: readonly string[],
  { mode, threshold }: Pick<DictionarySpecification, 'mode' | 'threshold'>,
): EntryIndex {
  const places = new Map<string, number>();
  for (const [place, source] of sources.entries()) {
    const folded = foldText(source);
    if (folded !== '' && !places.has(folded)) places.set(folded, place);
  }
  switch (mode) {
    case 'exact':
      return { find: (folded) => places.get(folded) ?? null };
    case 'contains':
      return new ContainedIndex(places);
    case 'fuzzy':
      return new SimilarIndex(places, threshold);
  }
}
