import { useMessages, language as shownLanguage } from '../../messages/i18n.js';
import { searchText } from '../../messages/search.en.js';
import { FILTERS, type Filter, type Question } from '../../model/question.js';
import { jobAddress } from '../../state/route.js';
import { OFFERED_JOBS, type Search } from '../../state/search.js';
import { useModuleNames } from '../module-names.js';

interface SearchFiltersProps {
  question: Question;
  search: Search;
  filter: (changed: Partial<Question>) => void;
}

/** How many results there are by kind, language, tag and batch; each of them narrows the question. */
export function SearchFilters({ question, search, filter }: SearchFiltersProps) {
  const text = useMessages(searchText);
  const nameOf = useFilterNames(search);
  const { facets } = search;
  const values: [Filter, { value: string; count: number }[]][] = [
    ['module', facets?.module ?? []],
    ['language', facets?.language ?? []],
    ['tag', facets?.tag ?? []],
    ['batch', facets?.batch_id ?? []],
    ['job', (facets?.job_id ?? []).slice(0, OFFERED_JOBS)],
  ];
  const active = FILTERS.filter((name) => question[name] !== '');
  const offered = values
    .map(([name, found]): (typeof values)[number] => [name, found.filter(({ value }) => value !== '')])
    .filter(([name, found]) => found.length > 0 && question[name] === '');
  if (active.length === 0 && offered.length === 0) return <div class="facets" />;
  return (
    <details class="facets" open={matchMedia('(min-width: 821px)').matches}>
      <summary>{text.filters}</summary>
      {active.map((name) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={text.remove({ name: `${text[name]}: ${nameOf(name, question[name])}` })}
          onClick={() => filter({ [name]: '' })}
        >
          {text[name]}: {nameOf(name, question[name])} <span aria-hidden="true">×</span>
        </button>
      ))}
      {offered.map(([name, found]) => (
        <section key={name} aria-label={text[name]}>
          <h2>{text[name]}</h2>
          <ul>
            {found.map(({ value, count }) => (
              <li key={value}>
                <button type="button" class="facet" onClick={() => filter({ [name]: value })}>
                  <span>{nameOf(name, value)}</span>
                  <small>{count.toLocaleString(shownLanguage.get())}</small>
                </button>
                {name === 'job' && (
                  <a href={jobAddress(value)} aria-label={text.openJob({ name: nameOf(name, value) })}>
                    →
                  </a>
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}

/** Values of filters as people call them. */
function useFilterNames(search: Search): (filter: Filter, value: string) => string {
  const moduleName = useModuleNames();
  return (filter, value) => {
    if (filter === 'module') return moduleName(value);
    if (filter === 'language') return languageName(value);
    if (filter === 'job') return search.jobNames.get(value) ?? value.slice(0, 8);
    return filter === 'batch' ? value.slice(0, 8) : value;
  };
}

function languageName(code: string): string {
  try {
    return new Intl.DisplayNames([shownLanguage.get()], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
