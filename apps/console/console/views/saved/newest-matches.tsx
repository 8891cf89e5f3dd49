import { language, useMessages } from '../../messages/i18n.js';
import { savedText } from '../../messages/saved.en.js';
import { clock, dateText } from '../../model/time.js';
import { jobAddress } from '../../state/route.js';
import type { FoundLately, SavedSearches } from '../../state/saved-searches.js';

/** Results of one job that are shown. */
const SHOWN = 5;

/** What the opened search has found since it was saved, the newest first; each leads to its moment. */
export function NewestMatches({ saved: { found } }: { saved: SavedSearches }) {
  const text = useMessages(savedText);
  if (found === null) return <p class="soft newest">{text.loading}</p>;
  if (found.length === 0) return <p class="soft newest">{text.noneFound}</p>;
  return (
    <ul class="newest">
      {found.map((one) => (
        <li key={`${one.job_id} ${one.time_created} ${one.matches[0]?.number ?? ''}`}>
          <Found one={one} />
        </li>
      ))}
    </ul>
  );
}

function Found({ one: { job, job_id: jobId, matches, time_created: time } }: { one: FoundLately }) {
  const text = useMessages(savedText);
  const name = job?.source_names[0] ?? jobId.slice(0, 8);
  return (
    <>
      <a href={jobAddress(jobId)}>{name}</a>{' '}
      <small>
        {dateText(Date.parse(time), language.get())} · {text.found(matches.length)}
      </small>{' '}
      {matches.slice(0, SHOWN).map(({ number, source_index: source, time_start: at }) => (
        <a key={number} class="moment-link" href={jobAddress(jobId, { at, source })}>
          {clock(at)}
        </a>
      ))}
    </>
  );
}
