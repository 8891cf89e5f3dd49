import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useKeptPlace } from '../../../shared/kept-place.js';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import { bySource } from '../../model/moments.js';
import { isOpen, searchAddress, type Question } from '../../model/question.js';
import type { Notices } from '../../state/notices.js';
import { Previews } from '../../state/previews.js';
import type { Route } from '../../state/route.js';
import type { Search } from '../../state/search.js';
import type { Session } from '../../state/session.js';
import { faultMessage } from '../fault-text.js';
import { later } from '../later.js';
import { SearchExport } from './search-export.js';
import { SearchFilters } from './search-filters.js';
import { SearchForm } from './search-form.js';
import { MomentGroup } from './moment-group.js';

const SavedSearchesPanel = later(async () => (await import('../saved/saved-searches.js')).SavedSearchesPanel);

export interface SearchPageProps {
  session: Session;
  notices: Notices;
  route: Route;
  search: Search;
  question: Question;
}

/** Moments of all jobs by one question. */
export function SearchPage({ session, route, notices, search, question }: SearchPageProps) {
  useObserved(search);
  const text = useMessages(searchText);
  const { q } = question;
  const [showsSaved, setShowsSaved] = useState(false);
  useEffect(() => void (document.title = `${q === '' ? '' : `${q} · `}${text.title} · Adit`), [q, text]);
  const wanted = searchAddress(question);
  useEffect(() => {
    // Back from a job the answers are still there.
    if (search.question === null || searchAddress(search.question) !== wanted) void search.ask(question);
  }, [search, wanted]);
  const page = useRef<HTMLDivElement>(null);
  useKeptPlace(search, page);
  const filter = (changed: Partial<Question>): void => route.replace(searchAddress({ ...question, ...changed }));
  return (
    <div class="page search" ref={page}>
      <h1>{text.title}</h1>
      <SearchForm
        {...{ question, mistake: search.mistake, filter }}
        ask={(asked) => {
          const address = searchAddress({ ...question, q: asked });
          if (address === wanted) void search.ask(question);
          else route.go(address);
        }}
      />
      <details class="saved-panel" onToggle={({ currentTarget }) => setShowsSaved(currentTarget.open)}>
        <summary>{text.saved}</summary>
        {showsSaved && <SavedSearchesPanel {...{ session, notices, question }} />}
      </details>
      <div class="answers">
        <SearchFilters {...{ question, search, filter }} />
        <Answers {...{ session, notices, search, question, filter }} />
      </div>
    </div>
  );
}

interface AnswersProps {
  session: Session;
  notices: Notices;
  search: Search;
  question: Question;
  filter: (changed: Partial<Question>) => void;
}

function Answers({ session, notices, search, question, filter }: AnswersProps) {
  const text = useMessages(searchText);
  const shell = useMessages(shellText);
  const [active, setActive] = useState<string | null>(null);
  const previews = useMemo(() => new Previews(session), [session]);
  const { results, fault, mistake, loading, hasMore } = search;
  const groups = useMemo(() => bySource(results), [results]);
  const onlyJob = question.job === '' ? (job: string): void => filter({ job }) : undefined;
  return (
    <div class="found-moments">
      <div class="summary">
        <p class="soft" role="status">
          {fault !== null || mistake !== null ? '' : <Count search={search} />}
          {isOpen(question) && results.length > 0 && ` · ${text.newest}`}
        </p>
        {results.length > 0 && <SearchExport {...{ session, notices, question }} />}
      </div>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void search.more()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {!loading && fault === null && mistake === null && results.length === 0 && (
        <div class="empty">
          <p>{text.none}</p>
          <p class="soft">{text.noneHint}</p>
        </div>
      )}
      {groups.map((group) => (
        <MomentGroup key={group.key} {...{ group, onlyJob, previews, active, setActive }} />
      ))}
      {hasMore && (
        <button type="button" class="more" disabled={loading} onClick={() => void search.more()}>
          {text.more}
        </button>
      )}
    </div>
  );
}

/** How many there are. */
function Count({ search: { loading, results, total, totalIsExact } }: { search: Search }) {
  const text = useMessages(searchText);
  if (loading && results.length === 0) return <>{text.searching}</>;
  if (totalIsExact) return <>{text.found(total)}</>;
  return <>{text.foundMore({ count: total.toLocaleString(language.get()) })}</>;
}
