import { useEffect, useRef } from 'preact/hooks';

interface SearchProps {
  query: string;
  /** Index of the hit that was stepped to; -1 before the first step. */
  at: number;
  total: number;
  onQuery: (query: string) => void;
  onStep: (step: 1 | -1) => void;
  onClose: () => void;
}

export function SearchBar({ query, at, total, onQuery, onStep, onClose }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };
  const found = query.trim() === '' ? '' : total === 0 ? 'Nothing found' : `${Math.max(at, 0) + 1} of ${total}`;
  return (
    <search class="search">
      <input
        ref={field}
        type="search"
        aria-label="Search in the transcript"
        placeholder="Text or speaker"
        value={query}
        maxLength={255}
        onInput={({ currentTarget }) => onQuery(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span role="status">{found}</span>
      <button type="button" class="plain" aria-label="Before" disabled={total === 0} onClick={() => onStep(-1)}>
        ↑
      </button>
      <button type="button" class="plain" aria-label="Next" disabled={total === 0} onClick={() => onStep(1)}>
        ↓
      </button>
      <button type="button" class="plain" aria-label="Close the search" onClick={onClose}>
        ×
      </button>
    </search>
  );
}
