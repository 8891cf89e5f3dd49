import { identityNumberIn, type DetailedResult } from '@adit/contracts';
import { printable, textTable } from './text-table.js';

/** Rows shown on a terminal; a long film has thousands of segments. */
const MAX_ROWS = 100;
/** Characters of a name. What is longer is a sentence, and stands last: it would push all else off the terminal. */
const MAX_NAME_LENGTH = 40;
export const NOTHING_FOUND = 'Nothing was found.';

/** The findings of each module, in a word. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ face_recognition: 'face', object_recognition: 'object', lower_third_recognition: 'caption' },
  ...{ landmark_recognition: 'place', speech_recognition: 'speech', gender_neutrality_estimation: 'balance' },
};

interface Row {
  source: string;
  time: number;
  cells: string[];
}

/**
 * Who and what was found, from when to when, how sure: as text for a person, source by source in the order of time. Of several
 * sources each is named, of several kinds each, of documents the pages.
 */
export async function resultsTable(
  results: AsyncIterable<DetailedResult>,
  { several, paged = false }: { several: boolean; paged?: boolean },
  limit = MAX_ROWS,
): Promise<string> {
  const found: Row[] = [];
  const kinds = new Set<string>();
  let count = 0;
  let stills = true;
  let people = true;
  let sound = true;
  for await (const result of results) {
    count += 1;
    if (result.media_type !== 'image') stills = false;
    if (result.media_type !== 'audio') sound = false;
    if (!('person' in result.meta)) people = false;
    kinds.add(kindOf(result));
    found.push({
      source: result.source,
      time: placeIn(result),
      cells: [printable(result.source_name), ...cells(result)],
    });
    // They come as they became final: the first of all may be the last to come.
    if (found.length >= 2 * limit + MAX_ROWS) found.sort(inOrder).splice(limit);
  }
  if (count === 0) return NOTHING_FOUND;
  const rows = found
    .sort(inOrder)
    .slice(0, limit)
    .map((row) => row.cells);
  const places = paged ? [7] : stills ? [] : [2, 3, 4, 5];
  const isSaid = rows.some(([, what = '']) => what.length > MAX_NAME_LENGTH);
  const kind = kinds.size > 1 ? [8] : [];
  const around = isSaid ? [...kind, ...places, 6, 1] : [1, ...kind, ...places, 6];
  const columns = [...(several ? [0] : []), ...around];
  const [who, sure] = people ? ['Who', 'Similarity'] : [sound ? 'What is said' : 'Who or what', 'Confidence'];
  const source = paged ? 'Document' : stills ? 'Picture' : sound ? 'Recording' : 'Film';
  const head = [source, who, 'From', 'To', 'Timecode in', 'Timecode out', sure, 'Page', 'Kind'];
  const pick = (row: string[]) => columns.map((column) => row[column] ?? '');
  const right = new Set([2, 3, 6, 7]);
  const table = textTable(
    pick(head),
    rows.map(pick),
    columns.map((column) => (right.has(column) ? 'right' : 'left')),
  );
  return count > rows.length ? `${table}\n… and ${count - rows.length} more in results.json` : table;
}

/** A result in one line, for following a live stream. */
export function resultLine(result: DetailedResult): string {
  const [what = '', , , start = '', , sure = '', , kind = ''] = cells(result);
  return [result.time_of_day ?? start, kind, what, ...(sure === '–' ? [] : [sure])].join('  ');
}

/** Text about a job without results. It names the confidence thresholds, and how to lower them. */
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
  const person = String(meta['person']);
  const known = person !== 'unknown' && identityNumberIn(person) === null;
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
    kindOf(result),
  ];
}

function kindOf({ module }: DetailedResult): string {
  return KINDS[module] ?? printable(module.replaceAll('_', ' '));
}

/** Pictures and pages have a number instead of a time. */
function placeIn({ media_type: kind, frame_start: frame, time_start: time }: DetailedResult): number {
  return kind === 'image' ? (frame ?? 0) : time;
}

function inOrder(a: Row, b: Row): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.time - b.time || (a.cells.join('\n') < b.cells.join('\n') ? -1 : 1);
}

/** Page numbers as a reader counts them. */
function pages({ frame_start: first, frame_end: last }: DetailedResult): string {
  const [from, to] = [Number(first) + 1, Number(last) + 1];
  return from === to ? `${from}` : `${from}–${to}`;
}

/** `landmark` holds the name beside where the place is. */
function landmarkName(landmark: unknown): unknown {
  return typeof landmark === 'object' && landmark !== null && 'name' in landmark ? landmark.name : undefined;
}
