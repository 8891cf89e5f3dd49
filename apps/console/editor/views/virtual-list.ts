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

interface What {
  count: number;
  scroller: () => HTMLElement | null;
  keyOf: (index: number) => string;
  /** Pixels, until an item is there to be measured. */
  estimate: (index: number) => number;
  /** An item that stays in the page wherever it is: the one that has the focus. */
  kept: number | null;
}

/** Only the items near what is seen are in the page, however many there are. */
export function useVirtualList({ count, scroller, keyOf, estimate, kept }: What): List {
  const [, again] = useReducer((turn: number) => turn + 1, 0);
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
