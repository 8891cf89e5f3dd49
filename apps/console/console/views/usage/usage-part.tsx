import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { useObserved } from '../../../shared/observed.js';
import { shellText } from '../../messages/en.js';
import { useMessages } from '../../messages/i18n.js';
import { usageText } from '../../messages/usage.en.js';
import { byDay, MEASURES, type Measure } from '../../model/usage.js';
import { USAGE_GROUPS, usageAddress, type UsageFilter } from '../../model/usage-filter.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { UsageFigures } from '../../state/usage.js';
import { attempt } from '../act-button.js';
import { faultMessage } from '../fault-text.js';
import { UsageChart } from './usage-chart.js';
import { UsageTable } from './usage-table.js';

export interface UsagePartProps {
  session: Session;
  route: Route;
  notices: Notices;
  filter: UsageFilter;
}

/** Seconds of analyses in some days: a chart, a table, and a file. */
export function UsagePart({ session, route, notices, filter }: UsagePartProps) {
  const text = useMessages(usageText);
  const shell = useMessages(shellText);
  const figures = useMemo(() => new UsageFigures(session), [session]);
  useObserved(figures);
  const [measure, setMeasure] = useState<Measure>('media_seconds');
  const { from, to, by } = filter;
  useEffect(() => void figures.read({ from, to, by }), [figures, from, to, by]);
  const change = (changed: Partial<UsageFilter>): void => route.replace(usageAddress({ ...filter, ...changed }));
  const { days, rows, fault } = figures;
  return (
    <section aria-labelledby="usage">
      <header class="heading">
        <h2 id="usage">{text.usage}</h2>
        <span class="soft">{text.hint}</span>
      </header>
      <Filters {...{ filter, change, measure, setMeasure }} shown={days ?? { from, to }}>
        <button
          type="button"
          disabled={days === null}
          onClick={() => void attempt({ session, notices }, () => figures.saveCsv(filter))}
        >
          {text.csv}
        </button>
      </Filters>
      {fault !== null && (
        <p class="fault" role="alert">
          {faultMessage(fault)}{' '}
          <button type="button" onClick={() => void figures.read(filter)}>
            {shell.tryAgain}
          </button>
        </p>
      )}
      {days === null && fault === null && <p class="soft">{text.loading}</p>}
      {days !== null && days.rows.length === 0 && <p class="empty">{text.none}</p>}
      {days !== null && days.rows.length > 0 && (
        <>
          <UsageChart days={byDay(days, days.rows, measure)} measure={measure} />
          <UsageTable {...{ by, rows }} sums={days.rows} />
        </>
      )}
    </section>
  );
}

interface FiltersProps {
  filter: UsageFilter;
  /** Days that are shown where the filter names none. */
  shown: { from: string; to: string };
  change: (changed: Partial<UsageFilter>) => void;
  measure: Measure;
  setMeasure: (measure: Measure) => void;
  children: ComponentChildren;
}

function Filters({ filter, shown, change, measure, setMeasure, children }: FiltersProps) {
  const text = useMessages(usageText);
  const id = useId();
  const { from, to, by } = filter;
  return (
    <div class="fields">
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {text[name]}
          <input
            type="date"
            name={name}
            value={{ from: from || shown.from, to: to || shown.to }[name]}
            onChange={({ currentTarget: { value } }) => change({ [name]: value })}
          />
        </label>
      ))}
      <label for={`${id}-by`}>
        {text.by}
        <select
          id={`${id}-by`}
          name="by"
          value={by}
          onChange={({ currentTarget: { value } }) =>
            change({ by: USAGE_GROUPS.find((each) => each === value) ?? 'day' })
          }
        >
          {USAGE_GROUPS.map((each) => (
            <option key={each} value={each}>
              {text[each]}
            </option>
          ))}
        </select>
      </label>
      <label for={`${id}-measure`}>
        {text.measure}
        <select
          id={`${id}-measure`}
          name="measure"
          value={measure}
          onChange={({ currentTarget: { value } }) =>
            setMeasure(MEASURES.find((each) => each === value) ?? 'media_seconds')
          }
        >
          {MEASURES.map((each) => (
            <option key={each} value={each}>
              {text[each]}
            </option>
          ))}
        </select>
      </label>
      {children}
    </div>
  );
}
