import { DEFAULT_LIMIT, type Page } from '@adit/contracts';

/** Returns a list that holds just these, for examples. */
export function examplePage<T>(...data: T[]): Page<T> {
  return { total: data.length, offset: 0, limit: DEFAULT_LIMIT, next: null, prev: null, data };
}
