import type { SummarizedResult } from '@adit/contracts';
import { printable, textTable, type Align } from './text-table.js';

/** Kinds of summaries in the order shown, with the types that count people and that measure screen time. */
const KINDS = [
  { kind: 'Person', heads: null, seconds: 'person_screen_time' },
  { kind: 'Gender', heads: 'gender_count', seconds: 'gender_screen_time' },
  { kind: 'Age', heads: 'age_count', seconds: 'age_screen_time' },
];
const MAX_ROWS = 100;

/** Number of people and for how long, source by source, as text for a person; null when nothing was summed up. */
export async function summaryTable(
  results: AsyncIterable<SummarizedResult>,
  several: boolean,
  limit = MAX_ROWS,
): Promise<string | null> {
  const sources = new Map<string, { name: string; summaries: Map<string, Record<string, number>> }>();
  for await (const { source, source_name: name, type, meta } of results) {
    const { summaries } = sources.get(source) ?? { summaries: new Map<string, Record<string, number>>() };
    sources.set(source, { name, summaries: summaries.set(type, meta) });
  }
  const rows = [...sources.values()].flatMap(({ name, summaries }) =>
    KINDS.flatMap(({ kind, heads, seconds }) =>
      linesOf(heads === null ? null : (summaries.get(heads) ?? {}), summaries.get(seconds) ?? {}).map((line) => [
        printable(name),
        kind,
        ...line,
      ]),
    ),
  );
  if (rows.length === 0) return null;
  const pick = <T>(row: T[]): T[] => (several ? row : row.slice(1));
  const head = pick(['Source', 'Of', 'Who', 'People', 'Screen time']);
  const align = pick<Align>(['left', 'left', 'left', 'right', 'right']);
  const table = textTable(
    head,
    rows.slice(0, limit).map((row) => pick(row)),
    align,
  );
  return rows.length > limit ? `${table}\n… and ${rows.length - limit} more in results.json` : table;
}

/** Categories that somebody falls in, those shown longest first; ages from young to old. */
function linesOf(heads: Record<string, number> | null, seconds: Record<string, number>): string[][] {
  const names = Object.keys(heads ?? seconds).filter((name) => ((heads ?? seconds)[name] ?? 0) > 0);
  const byAge = names.every((name) => /^\d+-\d+$/.test(name));
  const longer = (a: string, b: string) => (seconds[b] ?? 0) - (seconds[a] ?? 0) || (a < b ? -1 : 1);
  names.sort(byAge ? (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) : longer);
  return names.map((name) => [
    printable(name),
    heads === null ? '' : String(heads[name]),
    seconds[name] === undefined ? '–' : `${seconds[name].toFixed(1)} s`,
  ]);
}
