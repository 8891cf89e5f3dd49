import { behind, exactTime, placeOf, type SortKey } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { DocumentKey, FoundDocument, Question } from '../port.js';
import type { Conditions } from './conditions.js';
import { distanceOf } from './nearest-faces.js';

/** The order of results without a question; an index answers it. */
const NEWEST: readonly SortKey[] = [
  { by: 'd.moment', kind: 'time', descending: true },
  { by: 'd.id', kind: 'number', descending: true },
];
/** The order of results of one kind, exact or not. */
const SHORTEST: readonly SortKey[] = [{ by: 'd.length', kind: 'number' }, ...NEWEST];

/** The same of a question with a photo; of what is together some have no face. */
const NEAREST: readonly SortKey[] = [{ by: 'coalesce(f.distance, 50000)', kind: 'number' }, ...NEWEST];

interface Row {
  jobId: string;
  seq: number | null;
  variantId: string | null;
  paragraphId: string | null;
  fromVersion: number | null;
  sourceIndex: number;
  moduleId: string;
  type: string;
  timeStart: number;
  language: string | null;
  distance: number | null;
  place: string[];
}

/** The order of the results of a question. */
export function orderOf({ query, face = null }: Question): readonly SortKey[] {
  if (face !== null) return NEAREST;
  return query === null ? NEWEST : SHORTEST;
}

/** Part of a page: results of one kind. */
export interface Part {
  question: Question;
  isExact: boolean;
  /** Values of the place that it begins behind, as `orderOf` has them. */
  after: readonly string[] | null;
  limit: number;
}

/** Results up to which all are sorted for a page. More are read in their order from an index. */
const FEW = 50_000;

/** @param begin makes the conditions of a statement */
export async function foundPart(
  manager: EntityManager,
  begin: () => Conditions,
  { question, isExact, after, limit }: Part,
): Promise<FoundDocument[]> {
  const order = orderOf(question);
  // The short results come first, so that an index in this order is read for long where a word is in long ones alone.
  const sorts = order === NEAREST || (order === SHORTEST && (!isExact || (await isInFew(manager, begin(), question))));
  const page = { order, isExact, limit, sorts };
  if (after === null || order === NEWEST || sorts) {
    return read(manager, begin(), { ...page, further: placeBehind(order, after) });
  }
  // Two ranges of the index, whose directions differ, so that no page begins at the first result.
  const [length = '', ...newest] = after;
  const same: Further = (sql) => `d.length = ${sql.value(length)}::int AND ${placeBehind(NEWEST, newest)(sql)}`;
  const found = await read(manager, begin(), { ...page, order: NEWEST, shown: order, further: same });
  if (found.length === limit) return found;
  const longer: Further = (sql) => `d.length > ${sql.value(length)}::int`;
  const more = await read(manager, begin(), { ...page, limit: limit - found.length, further: longer });
  return [...found, ...more];
}

/** True where the server guesses that few documents match; of what is together its guesses are no use. */
async function isInFew(manager: EntityManager, sql: Conditions, { together }: Question): Promise<boolean> {
  if (together !== null) return false;
  const [row]: { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[] = await manager.query(
    `EXPLAIN (FORMAT JSON) SELECT 1 FROM search_documents d WHERE ${sql.exact()} AND ${sql.filter()}`,
    sql.values,
  );
  return row !== undefined && row['QUERY PLAN'][0].Plan['Plan Rows'] < FEW;
}

/** SQL: which of the results come behind a place. */
type Further = (sql: Conditions) => string;

function placeBehind(order: readonly SortKey[], after: readonly string[] | null): Further {
  return (sql) => (after === null ? 'true' : behind(order, (at) => `${sql.value(after[at])}::text`));
}

async function read(
  manager: EntityManager,
  sql: Conditions,
  page: {
    order: readonly SortKey[];
    /** The order that a place is said in. */
    shown?: readonly SortKey[];
    isExact: boolean;
    limit: number;
    /** All results are sorted, whatever the server would rather do. */
    sorts: boolean;
    further: Further;
  },
): Promise<FoundDocument[]> {
  const { order, shown = order, isExact, limit, sorts, further } = page;
  // Similar ones were told apart from exact ones before: no result is on two pages.
  const matches = isExact ? sql.exact() : `${sql.similar()} AND NOT (${sql.exact()})`;
  const place = shown.map(({ by: column, kind }) => (kind === 'time' ? exactTime(column) : `CAST(${column} AS text)`));
  const sorted = (column: string): string => (sorts && column === 'd.length' ? '(d.length + 0)' : column);
  const by = order.map(({ by: column, descending }) => `${sorted(column)}${descending === true ? ' DESC' : ''}`);
  const rows: Row[] = await manager.query(
    `SELECT d.job_id AS "jobId", d.seq, d.variant_id AS "variantId", d.paragraph_id AS "paragraphId",
            d.from_version AS "fromVersion", d.source_index AS "sourceIndex", d.module_id AS "moduleId", d.type,
            d.time_start AS "timeStart", d.language, ${sql.distance} AS distance, ARRAY[${place.join(', ')}] AS place
       FROM ${sql.documents()}
      WHERE ${matches} AND ${sql.filter()} AND ${further(sql)}
      ORDER BY ${by.join(', ')} LIMIT ${sql.value(limit)}`,
    sql.values,
  );
  return rows.map((row) => ({
    key: keyOf(row),
    jobId: row.jobId,
    sourceIndex: row.sourceIndex,
    moduleId: row.moduleId,
    type: row.type,
    timeStart: row.timeStart,
    language: row.language,
    isExact,
    distance: row.distance === null ? null : distanceOf(row.distance),
    place: placeOf([isExact, ...row.place]),
  }));
}

function keyOf({ seq, variantId, paragraphId, fromVersion }: Row): DocumentKey {
  if (seq !== null) return { seq, paragraph: null };
  return { seq: null, paragraph: { variantId: variantId ?? '', id: paragraphId ?? '', fromVersion: fromVersion ?? 0 } };
}
