import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

type List = Virtualizer<HTMLElement, HTMLElement>;

interface ListOptions {
  count: number;
  scroller: () => HTMLElement | null;
  keyOf: (index: number) => string;
  /** Height in pixels of an item that has not been measured yet. */
  estimate: (index: number) => number;
  /** The focused item, which stays in the page wherever it is. */
  kept: number | null;
}

/** Keeps only the items near the visible part in the page. */
export function useVirtualList({ count, scroller, keyOf, estimate, kept }: ListOptions): List {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count,
    getScrollElement: scroller,
    getItemKey: keyOf,
    estimateSize: estimate,
    overscan: 8,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return kept === null || kept >= count || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b);
    },
    onChange: () => again(undefined),
  };
  const [list] = useState(() => new Virtualizer(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  return list;
}
