import { nearestName } from '@adit/dictionaries';
import { z } from 'zod';

/** Query parameters that every path takes: the token of an access key, which is read before the path is known. */
export const ON_EVERY_PATH: readonly string[] = ['token'];

const MAX_SHOWN_LENGTH = 100;

/**
 * The query of a route, where a parameter that the route has not is refused with the nearest that it has: a misspelt filter
 * would answer with everything.
 */
export function knownQuery<Query extends z.ZodObject>(query: Query) {
  const own = Object.keys(query.shape);
  const names = [...own, ...ON_EVERY_PATH];
  const given = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
    for (const name of Object.keys(value).filter((each) => !names.includes(each))) {
      issues.push({ code: 'unrecognized_keys', keys: [name], input: value, message: unknownName(name, own) });
    }
  });
  return given.pipe(query);
}

function unknownName(name: string, own: readonly string[]): string {
  const shown = name.slice(0, MAX_SHOWN_LENGTH);
  const refusal = `?${shown} is not a query parameter of this path`;
  if (own.length === 0) return `${refusal}, which has none.`;
  const nearest = nearestName(shown, own);
  return `${refusal}${nearest === null ? '.' : `; did you mean ${nearest}?`} It has ${own.join(', ')}.`;
}
