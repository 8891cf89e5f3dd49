type Query = (...args: unknown[]) => unknown;

/**
 * Passes every call of an object's `query` through `each`, which gets the former `query` and the arguments. Runners
 * and clients have up to eleven overloads of it, which one loose type covers.
 */
export function interceptQueries(
  target: { query: (...args: never[]) => unknown },
  each: (query: Query, args: unknown[]) => unknown,
): void {
  // `bind` loses the overloads.
  const query = target.query.bind(target) as Query;
  target.query = (...args: unknown[]) => each(query, args);
}
