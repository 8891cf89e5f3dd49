import { DEFAULT_LIMIT, type Page } from '@adit/contracts';

/** What a list answers that holds these and nothing else, for examples. */
export function examplePage<T>(...data: T[]): Page<T> {
  return { total: data.length, offset: 0, limit: DEFAULT_LIMIT, next: null, prev: null, data };
}
