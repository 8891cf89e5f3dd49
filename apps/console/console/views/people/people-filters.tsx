import { useEffect, useRef, useState } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { peopleAddress, type PeopleFilter } from '../../model/people.js';
import type { People } from '../../state/people.js';
import type { Route } from '../../state/route.js';

/** After the last letter, before the service is asked. */
const TYPING_MS = 300;

interface PeopleFiltersProps {
  people: People;
  collection: string;
  filter: PeopleFilter;
  route: Route;
}

export function PeopleFilters({ people, collection, filter, route }: PeopleFiltersProps) {
  const text = useMessages(peopleText);
  const [search, setSearch] = useState(filter.search);
  const shown = `${collection}/${filter.search}`;
  const typed = useRef(shown);
  /** With what was typed, also when the wait for another letter is not over. */
  const show = (changed: Partial<PeopleFilter>): void => {
    typed.current = `${collection}/${search}`;
    route.replace(peopleAddress(collection, { ...filter, search, ...changed }));
  };
  useEffect(() => {
    // Another address than the one that this field led to.
    if (shown !== typed.current) setSearch(filter.search);
    typed.current = shown;
  }, [shown]);
  useEffect(() => {
    if (search === filter.search) return undefined;
    const timer = setTimeout(() => show({}), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search, shown, filter.named]);
  const named = filter.named === null ? '' : filter.named ? 'yes' : 'no';
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        maxLength={255}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <select
        aria-label={text.which}
        value={named}
        onChange={({ currentTarget: { value } }) => show({ named: value === '' ? null : value === 'yes' })}
      >
        <option value="">{text.all}</option>
        <option value="no">{text.unnamed}</option>
        <option value="yes">{text.named}</option>
      </select>
      {people.collections.length > 1 && (
        <select
          aria-label={text.collection}
          value={collection}
          onChange={({ currentTarget }) => route.go(peopleAddress(currentTarget.value, { search: '', named: null }))}
        >
          {people.collections.map(({ name, number_of_identities: count }) => (
            <option key={name} value={name}>
              {name} ({count})
            </option>
          ))}
        </select>
      )}
    </form>
  );
}
