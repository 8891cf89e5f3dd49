/**
 * Runs a function over items with at most `runs` in progress at a time; returns the results in order. Rejects with the
 * first failing item's error.
 */
export async function ahead<Item, Result>(
  items: readonly Item[],
  runs: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  for (const [i, item] of items.entries()) {
    if (i >= runs) await results[i - runs];
    const started = run(item, i);
    // Results behind a failed one are never awaited.
    started.catch(() => undefined);
    results.push(started);
  }
  return Promise.all(results);
}
