import { jobsText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { JobFilter } from '../model/job-rows.js';
import { jobsAddress, placeOf, type Route } from '../state/route.js';
import { useTyped } from './forms/typed.js';

const STATES = ['waiting', 'processing', 'completed', 'stopped', 'failed'] as const;
const MEDIA = ['video', 'audio', 'image', 'pdf', 'videostream'] as const;

export function JobFilters({ filter, route }: { filter: JobFilter; route: Route }) {
  const text = useMessages(jobsText);
  /** With what was typed, also when the wait for another letter is not over. */
  const show = (changed: Record<string, string>): void => {
    const query = new URLSearchParams({
      state: filter.state ?? '',
      media: filter.mediaType ?? '',
      search: typed.take(),
      ...changed,
    });
    const place = placeOf(`#/jobs?${query.toString()}`);
    if (place.page === 'jobs') route.replace(jobsAddress(place.filter));
  };
  const typed = useTyped({ value: filter.search ?? '', lead: () => show({}) });
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
