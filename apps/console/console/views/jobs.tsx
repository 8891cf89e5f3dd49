import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useObserved } from '../../shared/observed.js';
import { useVirtualList } from '../../shared/virtual-list.js';
import { jobsText, shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';
import type { JobFilter } from '../model/job-rows.js';
import type { JobList } from '../state/job-list.js';
import type { Notices } from '../state/notices.js';
import type { Route } from '../state/route.js';
import type { Session } from '../state/session.js';
import { faultMessage } from './fault-text.js';
import { JobFilters } from './job-filters.js';
import { JobRowView } from './job-row.js';
import { useRowKeys } from './row-keys.js';

const ROW_HEIGHT = 56;
/** Rows before the end of what was read at which the next page is asked for. */
const AHEAD = 30;

interface JobsPageProps {
  session: Session;
  route: Route;
  list: JobList;
  notices: Notices;
  filter: JobFilter;
}

export function JobsPage({ session, route, list, notices, filter }: JobsPageProps) {
  useObserved(list);
  const text = useMessages(jobsText);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  useEffect(() => {
    const ends = new AbortController();
    list.follow(ends.signal);
    return () => ends.abort();
  }, [list]);
  const wanted = JSON.stringify(filter);
  useEffect(() => {
    // Back from a job the list is still there.
    if (JSON.stringify(list.filter) !== wanted || list.rows.length === 0) void list.open(filter);
  }, [list, wanted]);
  return (
    <div class="page jobs">
      <header class="heading">
        <h1>{text.title}</h1>
        <span class={`live ${list.live}`} role="status">
          {list.live === 'live' ? text.live : list.live === 'connecting' ? text.connecting : text.offline}
        </span>
        <span class="soft count">{text.count(list.total)}</span>
        <JobFilters filter={filter} route={route} />
      </header>
      <Rows {...{ session, list, notices, route }} />
    </div>
  );
}

function Rows({ session, list, notices, route }: Omit<JobsPageProps, 'filter'>) {
  const text = useMessages(jobsText);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const { rows, isWhole, loading, fault } = list;
  const virtual = useVirtualList({
    count: rows.length,
    scroller: () => scroller.current,
    keyOf: (index) => rows[index]?.id ?? String(index),
    estimate: () => ROW_HEIGHT,
    kept: focused,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (!isWhole && !loading && fault === null && rows.length > 0 && last >= rows.length - AHEAD) void list.more();
  }, [last, rows.length, isWhole, loading, fault]);
  useKeptPlace(list, scroller);
  const onKeyDown = useRowKeys(scroller, { virtual, count: rows.length, focused, setFocused, target: 'a' });
  return (
    <div class="rows" ref={scroller}>
      <div role="table" aria-label={text.title} aria-rowcount={list.total + 1} onKeyDown={onKeyDown}>
        <div role="rowgroup" class="head">
          <div role="row" aria-rowindex={1}>
            {[text.name, text.state, text.progress, text.created, text.duration, text.actions].map((name) => (
              <span role="columnheader" key={name}>
                {name}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" class="body" style={{ height: `${virtual.getTotalSize()}px` }}>
          {items.map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row && (
                <JobRowView
                  key={key}
                  {...{ row, index, start, session, notices, list }}
                  measure={(element) => virtual.measureElement(element)}
                  onFocus={() => setFocused(index)}
                />
              )
            );
          })}
        </div>
      </div>
      <ListEnd list={list} route={route} />
    </div>
  );
}

/** Scrolls to where the list was when the person left it. */
function useKeptPlace(list: JobList, scroller: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    element.scrollTop = list.scrollTop;
    const keep = (): void => void (list.scrollTop = element.scrollTop);
    element.addEventListener('scroll', keep, { passive: true });
    return () => element.removeEventListener('scroll', keep);
  }, [list]);
}

/** What stands below the rows: that more comes, that there are none, or why not. */
function ListEnd({ list, route }: Pick<JobsPageProps, 'list' | 'route'>) {
  const text = useMessages(jobsText);
  const shell = useMessages(shellText);
  const { rows, isWhole, loading, fault } = list;
  const hasFilter = Object.keys(list.filter).length > 0;
  return (
    <>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void list.more()}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {loading && <p class="soft center">{text.loading}</p>}
      {isWhole && rows.length === 0 && (
        <div class="empty">
          <p>{hasFilter ? text.noMatch : text.none}</p>
          {hasFilter ? (
            <button type="button" onClick={() => route.go('#/jobs')}>
              {text.clear}
            </button>
          ) : (
            <>
              <p>
                <a class="button" href="#/storage">
                  {text.begin}
                </a>
              </p>
              <p class="soft">{text.noneHint}</p>
            </>
          )}
        </div>
      )}
    </>
  );
}
