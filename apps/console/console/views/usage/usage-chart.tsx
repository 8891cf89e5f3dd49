import { language, useMessages } from '../../messages/i18n.js';
import { usageText } from '../../messages/usage.en.js';
import { durationText } from '../../model/time.js';
import { barsOf, type DayValue, type Measure } from '../../model/usage.js';

const HEIGHT = 100;

/** A bar for each day; the table below it says the same. */
export function UsageChart({ days, measure }: { days: readonly DayValue[]; measure: Measure }) {
  const text = useMessages(usageText);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const total = durationText(days.reduce((sum, { value }) => sum + value, 0));
  const most = durationText(Math.max(...days.map(({ value }) => value)));
  const title = text.chart({
    ...{ measure: text[measure], from: dayText(first.day), to: dayText(last.day), total, most },
  });
  return (
    <figure class="chart">
      <figcaption>
        <strong>{text[measure]}</strong> {text.total({ total })}, {text.most({ most })}
      </figcaption>
      <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {barsOf(days, HEIGHT).map(({ x, y, height }, index) => (
          <g key={days[index]?.day}>
            <title>{`${dayText(days[index]?.day ?? '')}: ${durationText(days[index]?.value ?? 0)}`}</title>
            {/* The whole height answers to the pointer. */}
            <rect class="slot" x={x} y={0} width={1} height={HEIGHT} />
            <rect class="bar" x={x + 0.1} y={y} width={0.8} height={height} />
          </g>
        ))}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{dayText(first.day)}</span>
        <span>{dayText(last.day)}</span>
      </div>
    </figure>
  );
}

/** A day in UTC, as the service counts them. */
export function dayText(day: string): string {
  const format = new Intl.DateTimeFormat(language.get(), { dateStyle: 'medium', timeZone: 'UTC' });
  return day === '' ? '' : format.format(Date.parse(day));
}
