import { basename } from 'node:path';
import type { DetailedResult } from '@adit/contracts';
import { printable, textTable } from './text-table.js';

/** Rows shown on a terminal; a long film has thousands of segments. */
const MOST_ROWS = 100;
/** Characters of a name. What is longer is a sentence, and stands last: it would push all else off the terminal. */
const LONGEST_NAME = 40;
export const NOTHING_FOUND = 'Nothing was found.';

/**
 * Who and what was found, from when to when, how sure: as text for a person. Of several sources each is named; of documents, pages.
 */
export async function resultsTable(
  results: AsyncIterable<DetailedResult>,
  { several, paged = false }: { several: boolean; paged?: boolean },
  limit = MOST_ROWS,
): Promise<string> {
  const rows: string[][] = [];
  let count = 0;
  let stills = true;
  let people = true;
  let sound = true;
  for await (const result of results) {
    count += 1;
    if (result.media_type !== 'image') stills = false;
    if (result.media_type !== 'audio') sound = false;
    if (!('person' in result.meta)) people = false;
    if (rows.length < limit) rows.push([result.source, ...cells(result)]);
  }
  if (count === 0) return NOTHING_FOUND;
  const places = paged ? [7] : stills ? [] : [2, 3, 4, 5];
  const isSaid = rows.some(([, what = '']) => what.length > LONGEST_NAME);
  const around = isSaid ? [...places, 6, 1] : [1, ...places, 6];
  const columns = [...(several ? [0] : []), ...around];
  const [who, sure] = people ? ['Who', 'Similarity'] : [sound ? 'What is said' : 'Who or what', 'Confidence'];
  const source = paged ? 'Document' : stills ? 'Picture' : sound ? 'Recording' : 'Film';
  const head = [source, who, 'From', 'To', 'Timecode in', 'Timecode out', sure, 'Page'];
  const pick = (row: string[]) => columns.map((column) => row[column] ?? '');
  const right = new Set([2, 3, 6, 7]);
  const table = textTable(
    pick(head),
    rows.map((row) => pick([printable(basename(row[0] ?? '')), ...row.slice(1)])),
    columns.map((column) => (right.has(column) ? 'right' : 'left')),
  );
  return count > rows.length ? `${table}\n… and ${count - rows.length} more in results.json` : table;
}

/** What is said of a job without results: also below which confidence its modules say nothing, and how to ask for less. */
export function nothingFound(modules: Readonly<Record<string, object>>): string {
  const silent = Object.entries(modules).flatMap(([id, asked]) => {
    const least = 'min_confidence' in asked ? Number(asked.min_confidence) : 0;
    return least > 0 ? [{ least, text: `${id} leaves out what it is less than ${least} % sure of` }] : [];
  });
  if (silent.length === 0) return NOTHING_FOUND;
  const half = Math.floor(Math.min(...silent.map(({ least }) => least)) / 2);
  return `${NOTHING_FOUND} ${silent.map(({ text }) => text).join('; ')}: --set min_confidence=${half} shows more.`;
}

function cells(result: DetailedResult): string[] {
  const { meta } = result;
  const names = [meta['person'], meta['label'], meta['text'], landmarkName(meta['landmark'])];
  const name = names.find((value) => typeof value === 'string');
  // An unknown person's similarity is to somebody else, or to nobody.
  const known = !/^(unknown|Unknown #\d+)$/.test(String(meta['person']));
  const sure = [meta['mean_similarity'], meta['similarity'], meta['mean_confidence'], meta['confidence']].find(
    (value) => typeof value === 'number',
  );
  return [
    printable(typeof name === 'string' ? name : result.module),
    `${result.time_start.toFixed(1)} s`,
    `${result.time_end.toFixed(1)} s`,
    result.tc_start,
    result.tc_end,
    known && typeof sure === 'number' ? `${Math.round(sure * 100)} %` : '–',
    pages(result),
  ];
}

/** As a reader counts them. */
function pages({ frame_start: first, frame_end: last }: DetailedResult): string {
  const [from, to] = [Number(first) + 1, Number(last) + 1];
  return from === to ? `${from}` : `${from}–${to}`;
}

/** `landmark` holds the name beside where the place is. */
function landmarkName(landmark: unknown): unknown {
  return typeof landmark === 'object' && landmark !== null && 'name' in landmark ? landmark.name : undefined;
}
