import { useEffect, useState } from 'preact/hooks';
import { jobsText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { JobFilter } from '../model/job-rows.js';
import { jobsAddress, placeOf, type Route } from '../state/route.js';

const STATES = ['waiting', 'processing', 'completed', 'stopped', 'failed'] as const;
const MEDIA = ['video', 'audio', 'image', 'pdf', 'videostream'] as const;
/** After the last letter, before the service is asked. */
const TYPING_MS = 300;

export function JobFilters({ filter, route }: { filter: JobFilter; route: Route }) {
  const text = useMessages(jobsText);
  const [search, setSearch] = useState(filter.search ?? '');
  const show = (changed: Record<string, string>): void => {
    const query = new URLSearchParams({
      state: filter.state ?? '',
      media: filter.mediaType ?? '',
      search: filter.search ?? '',
      ...changed,
    });
    const place = placeOf(`#/jobs?${query.toString()}`);
    if (place.page === 'jobs') route.replace(jobsAddress(place.filter));
  };
  useEffect(() => {
    if (search === (filter.search ?? '')) return undefined;
    const timer = setTimeout(() => show({ search }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
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
        aria-label={text.state}
        value={filter.state ?? ''}
        onChange={({ currentTarget }) => show({ state: currentTarget.value })}
      >
        <option value="">{text.allStates}</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {text[state]}
          </option>
        ))}
      </select>
      <select
        aria-label={text.media}
        value={filter.mediaType ?? ''}
        onChange={({ currentTarget }) => show({ media: currentTarget.value })}
      >
        <option value="">{text.allMedia}</option>
        {MEDIA.map((media) => (
          <option key={media} value={media}>
            {text[media]}
          </option>
        ))}
      </select>
    </form>
  );
}
