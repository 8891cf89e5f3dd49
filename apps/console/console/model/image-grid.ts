/** A grid of tiles of one size, in pixels. */
export const TILE = 132;
export const GAP = 8;

/** Tiles beside each other in a grid of this width. */
export function columnsIn(width: number): number {
  return Math.max(1, Math.floor((width + GAP) / (TILE + GAP)));
}

/** Where a key leads from a tile; null for a key that leads nowhere. `rows`: those that are seen at once. */
export function tileAfter(
  key: string,
  { at, columns, count, rows }: { at: number; columns: number; count: number; rows: number },
): number | null {
  const to = {
    ...{ ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + columns, ArrowUp: at - columns },
    ...{ Home: 0, End: count - 1, PageDown: at + columns * rows, PageUp: at - columns * rows },
  }[key];
  if (to === undefined || count === 0) return null;
  // From above the last row, down leads to its end at most; off the grid leads nowhere.
  if (key === 'ArrowUp' && to < 0) return at;
  return Math.min(Math.max(0, to), count - 1);
}

/** The selection after a tile was chosen; with the tile before it a whole stretch. */
export function chosen(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  { at, from }: { at: number; from: number | null },
): Set<string> {
  const next = new Set(selected);
  const id = ids[at];
  if (id === undefined) return next;
  if (from !== null) {
    for (const each of ids.slice(Math.min(at, from), Math.max(at, from) + 1)) next.add(each);
  } else if (!next.delete(id)) next.add(id);
  return next;
}
