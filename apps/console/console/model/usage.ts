/** What is measured, as the service calls it. */
export const MEASURES = ['media_seconds', 'chunk_seconds', 'cpu_model_seconds', 'gpu_model_seconds'] as const;
export type Measure = (typeof MEASURES)[number];

const DAY_MS = 86_400_000;

export interface DayValue {
  /** 2026-11-30 */
  day: string;
  value: number;
}

/** A value for each day from one to another; those that the service has nothing of are 0. Empty for what are no days. */
export function byDay(
  { from, to }: { from: string; to: string },
  rows: readonly ({ day: string | null } & Record<Measure, number>)[],
  measure: Measure,
): DayValue[] {
  const known = new Map(rows.map((row) => [row.day, row[measure]]));
  const days: DayValue[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    days.push({ day, value: known.get(day) ?? 0 });
  }
  return days;
}

/** Bars of a chart that is one unit wide for each day and `height` high. */
export function barsOf(days: readonly DayValue[], height: number): { x: number; y: number; height: number }[] {
  const most = Math.max(0, ...days.map(({ value }) => value));
  return days.map(({ value }, index) => {
    // What is there is seen, however little it is.
    const bar = value === 0 ? 0 : Math.max(height / 100, (value / most) * height);
    return { x: index, y: height - bar, height: bar };
  });
}
