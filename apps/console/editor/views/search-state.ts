import { useMemo, useState } from 'preact/hooks';
import type { Paragraphs } from '../model/paragraph.js';
import { find, type Hit } from '../model/search.js';

export interface SearchState {
  /** Null while the search bar is closed. */
  query: string | null;
  hits: readonly Hit[];
  /** Index of the hit that was stepped to; -1 before the first step. */
  at: number;
  open: () => void;
  close: () => void;
  /** Searches for another text; answers the first hit. */
  enter: (text: string) => Hit | undefined;
  /** Answers the hit that is stepped to. */
  step: (to: 1 | -1) => Hit | undefined;
}

export function useSearch(paragraphs: Paragraphs): SearchState {
  const [query, setQuery] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const hits = useMemo(() => (query === null ? [] : find(paragraphs, query)), [paragraphs, query]);
  return {
    query,
    hits,
    at,
    open: () => setQuery((before) => before ?? ''),
    close: () => setQuery(null),
    enter: (text) => {
      setQuery(text);
      setAt(-1);
      return find(paragraphs, text)[0];
    },
    step: (to) => {
      const next = (at + to + hits.length) % hits.length;
      setAt(next);
      return hits[next];
    },
  };
}
