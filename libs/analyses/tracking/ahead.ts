/**
 * Runs a function over items with at most `runs` in progress at a time; returns the results in order. Rejects with the
 * first failing item's error.
 */
export async function ahead<Item, Look>(
  items: readonly Item[],
  runs: number,
  look: (item: Item, index: number) => Promise<Look>,
): Promise<Look[]> {
  const looks: Promise<Look>[] = [];
  for (const [i, item] of items.entries()) {
    if (i >= runs) await looks[i - runs];
    const started = look(item, i);
    // Results behind a failed one are never awaited.
    started.catch(() => undefined);
    looks.push(started);
  }
  return Promise.all(looks);
}
