/**
 * Looks at items with at most `runs` looks under way at a time; answers in the items' order. Throws what the first
 * failing look throws.
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
    // Those behind a failing one are waited for by nobody.
    started.catch(() => undefined);
    looks.push(started);
  }
  return Promise.all(looks);
}
