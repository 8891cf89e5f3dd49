import type { IndexedIdentity } from '@adit/client';

/** Which people of a face index are shown. */
export interface PeopleFilter {
  /** Part of a name, or an id. */
  search: string;
  /** Null: all. */
  named: boolean | null;
}

export const DEFAULT_COLLECTION = 'default_index';

export function peopleFilterOf(given: URLSearchParams): PeopleFilter {
  const named = given.get('named');
  return { search: given.get('search') ?? '', named: named === 'yes' ? true : named === 'no' ? false : null };
}

export function peopleAddress(collection: string, { search, named }: PeopleFilter): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(named !== null && { named: named ? 'yes' : 'no' }),
  });
  return `#/people/${encodeURIComponent(collection)}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

export function personAddress({ collection_name: collection, index_id: id }: IndexedIdentity): string {
  return `#/people/${encodeURIComponent(collection)}/${id}`;
}

/**
 * The list after people were given a name: `shown` is who has it now. Those who were merged into another are no longer
 * there by themselves.
 */
export function withNamed(
  people: readonly IndexedIdentity[],
  renamed: readonly string[],
  shown: IndexedIdentity,
): IndexedIdentity[] {
  const gone = new Set([...renamed, ...shown.merged].filter((id) => id !== shown.index_id));
  return people
    .filter(({ index_id: id }) => !gone.has(id))
    .map((person) => (person.index_id === shown.index_id ? shown : person));
}

/** What brings back who people were: ids with their former names, in the order in which they are to be given. */
export function formerNames(people: readonly IndexedIdentity[]): { id: string; label: string }[] {
  return people.flatMap(({ index_id: id, label, merged }) => [
    { id, label },
    // Without a name nothing says that two are one.
    ...(label === '' ? [] : merged.map((each) => ({ id: each, label }))),
  ]);
}

/** A question of the search that finds a person by name. */
export function whoQuestion(label: string): string {
  return `who:"${label.replace(/["“”„]/g, ' ')}"`;
}
