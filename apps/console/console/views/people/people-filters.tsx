import { useMessages } from '../../messages/i18n.js';
import { peopleText } from '../../messages/people.en.js';
import { peopleAddress, type PeopleFilter } from '../../model/people.js';
import type { People } from '../../state/people.js';
import type { Route } from '../../state/route.js';
import { useTyped } from '../forms/typed.js';

interface PeopleFiltersProps {
  people: People;
  collection: string;
  filter: PeopleFilter;
  route: Route;
}

export function PeopleFilters({ people, collection, filter, route }: PeopleFiltersProps) {
  const text = useMessages(peopleText);
  /** With what was typed, also when the wait for another letter is not over. */
  const show = (changed: Partial<PeopleFilter>): void =>
    route.replace(peopleAddress(collection, { ...filter, search: typed.take(), ...changed }));
  const typed = useTyped({ value: filter.search, list: collection, lead: () => show({}) });
  const named = filter.named === null ? '' : filter.named ? 'yes' : 'no';
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        maxLength={255}
        value={typed.text}
        onInput={({ currentTarget }) => typed.type(currentTarget.value)}
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
