import { jobsText } from '../messages/en.js';
import { language, useMessages } from '../messages/i18n.js';
import { isActive, secondsLeft, type JobRow } from '../model/job-rows.js';
import { dateText, durationText } from '../model/time.js';
import type { JobList } from '../state/job-list.js';
import type { Notices } from '../state/notices.js';
import { jobAddress } from '../state/route.js';
import type { Session } from '../state/session.js';
import { JobActions } from './job-actions.js';
import { JobErrors } from './job-errors.js';
import { ModuleProgress, StateMark } from './progress.js';

interface JobRowProps {
  row: JobRow;
  index: number;
  /** Pixels from the top of the list. */
  start: number;
  session: Session;
  notices: Notices;
  list: JobList;
  measure: (element: HTMLElement | null) => void;
  onFocus: () => void;
}

export function JobRowView({ row, index, start, session, notices, list, measure, onFocus }: JobRowProps) {
  const text = useMessages(jobsText);
  const left = secondsLeft(row, Date.now());
  const acts = { retry: () => list.retry(row), stop: () => list.stop(row), remove: () => list.remove(row) };
  const percent = Math.floor(row.progress * 100);
  const time = new Date(row.created);
  return (
    <div
      role="row"
      class={`job ${row.state}`}
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      style={{ transform: `translateY(${start}px)` }}
      onFocusIn={onFocus}
    >
      <span role="cell" class="name">
        <a href={jobAddress(row.id)}>{row.name}</a>
        <small>
          {text[row.mediaType]}
          {row.more > 0 && ` · ${text.moreSources(row.more)}`}
        </small>
      </span>
      <span role="cell">
        <StateMark state={row.state} text={text[row.state]} />
      </span>
      <span role="cell" class="how-far">
        {isActive(row) ? (
          <>
            <ModuleProgress modules={row.modules} />
            <small>
              {row.mediaType === 'videostream' ? '' : `${percent} %`}
              {left !== null && ` · ${text.left({ time: durationText(left) })}`}
            </small>
          </>
        ) : (
          <ModuleProgress modules={row.modules} />
        )}
      </span>
      <span role="cell" class="when">
        <time dateTime={time.toISOString()}>{dateText(row.created, language.get())}</time>
      </span>
      <span role="cell" class="took">
        {row.started === null ? '' : durationText(row.duration)}
      </span>
      <span role="cell">
        <JobActions {...{ row, session, notices, acts }} />
      </span>
      {row.errors.length > 0 && (
        <span role="cell" class="why">
          <JobErrors
            errors={row.errors.slice(0, 1)}
            count={row.errorCount}
            sources={row.sources}
            modules={row.modules.map(({ id }) => id)}
          />
        </span>
      )}
    </div>
  );
}
