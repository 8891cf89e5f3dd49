/** Pictures read at the same time. */
const CONCURRENCY = 16;

/** Yields the result of `work` for each item, in order; some are worked on ahead. */
export async function* ahead<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const underway: Promise<R>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Whoever reads it hears of its failure; one that is never read has none.
    result.catch(() => undefined);
    underway.push(result);
    if (underway.length === CONCURRENCY) for (const first of underway.splice(0, 1)) yield await first;
  }
  for (const result of underway) yield await result;
}

/** Yields at most `count` of the items. */
export async function* first<T>(count: number, items: AsyncIterable<T>): AsyncGenerator<T> {
  let left = count;
  if (left === 0) return;
  for await (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}
