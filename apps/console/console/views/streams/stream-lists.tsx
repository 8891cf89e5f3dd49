import type { DetailedResult, StreamGap } from '@adit/client';
import { language, useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { segmentOf, titleOf } from '../../model/segments.js';
import { clock, dateText, durationText } from '../../model/time.js';
import { useModuleNames } from '../module-names.js';
import { TableHead } from '../table-head.js';

/** Results that are listed. */
const SHOWN = 12;

export function NewestResults({ results }: { results: readonly DetailedResult[] }) {
  const text = useMessages(streamsText);
  const nameOf = useModuleNames();
  return (
    <section class="part" aria-label={text.newest}>
      <h2>{text.newest}</h2>
      {results.length === 0 && <p class="soft">{text.nothing}</p>}
      <ul class="newest">
        {results.slice(0, SHOWN).map((result, at) => (
          <li key={`${result.tc_start} ${at}`}>
            <b>{titleOf(segmentOf(result, at))}</b>
            <small>
              {nameOf(result.module)} · {clock(result.time_start)}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function StreamGaps({ gaps, total }: { gaps: readonly StreamGap[]; total: number }) {
  const text = useMessages(streamsText);
  return (
    <section class="part" aria-label={text.gapsTitle}>
      <h2>{text.gapsTitle}</h2>
      {gaps.length === 0 && <p class="soft">{text.noGaps}</p>}
      {total > gaps.length && gaps.length > 0 && <p class="soft">{text.newestGaps(gaps.length)}</p>}
      {gaps.length > 0 && (
        <table class="list rows-list">
          <TableHead names={[text.from, text.lasted, text.why]} />
          <tbody>
            {gaps.map((gap) => (
              <tr key={gap.number}>
                <th scope="row">
                  {gap.time_of_day_start === null
                    ? clock(gap.time_start)
                    : dateText(Date.parse(gap.time_of_day_start), language.get())}
                </th>
                <td>{durationText(gap.time_end - gap.time_start)}</td>
                <td class="reason">{gap.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
