type Query = (...args: unknown[]) => unknown;

/**
 * Passes every call of an object's `query` through `each`, which gets what `query` did before and the arguments. Runners and
 * clients have up to eleven overloads of it: one type that is loose in what goes through says all of them.
 */
export function interceptQueries(
  target: { query: (...args: never[]) => unknown },
  each: (query: Query, args: unknown[]) => unknown,
): void {
  // `bind` forgets the overloads.
  const query = target.query.bind(target) as Query;
  target.query = (...args: unknown[]) => each(query, args);
}
