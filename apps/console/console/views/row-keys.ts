interface RowKeys {
  virtual: { scrollToIndex: (index: number) => void };
  count: number;
  focused: number | null;
  setFocused: (index: number) => void;
  /** What takes the focus in a row. */
  target: string;
}

/** Arrow keys, Home and End move the focus from row to row, also to rows that are not in the page yet. */
export function useRowKeys(
  scroller: { current: HTMLElement | null },
  { virtual, count, focused, setFocused, target }: RowKeys,
): (event: KeyboardEvent) => void {
  return (event) => {
    const from = focused ?? -1;
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || count === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const index = Math.min(Math.max(0, to), count - 1);
    setFocused(index);
    virtual.scrollToIndex(index);
    requestAnimationFrame(() => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] ${target}`);
      row?.focus({ preventScroll: true });
    });
  };
}
