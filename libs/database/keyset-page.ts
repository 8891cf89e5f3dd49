import { AditError, type PageQuery } from '@adit/contracts';
import {
  And,
  LessThan,
  MoreThanOrEqual,
  type FindOperator,
  type ObjectLiteral,
  type SelectQueryBuilder,
} from 'typeorm';
import { isUuid } from './uuid.js';

/** A column, or expression of columns, of a list's order: together they identify a row. */
export interface SortKey {
  /** Column with the alias of its table: `job.timeCreated`. Never null. */
  by: string;
  kind: keyof typeof KINDS;
  descending?: boolean;
}

export interface FoundPage<Row> {
  rows: Row[];
  /** Number of rows of all pages. */
  total: number;
  /** Cursor of the next page; null after the last row. */
  next: string | null;
}

/** SQL: a time as text, in microseconds since 1970. */
export function exactTime(by: string): string {
  return `CAST(CAST(extract(epoch FROM ${by}) * 1000000 AS bigint) AS text)`;
}

/** Conversion of a kind's values to a cursor and back, checked, and for comparison. */
const KINDS = {
  // Exact: rows of one millisecond would otherwise be read twice, or not at all.
  time: {
    text: exactTime,
    value: (parameter: string) => `timestamptz 'epoch' + CAST(${parameter} AS bigint) * interval '1 microsecond'`,
    isOne: (text: string) => /^-?\d{1,16}$/.test(text),
  },
  number: {
    text: (by: string) => `CAST(${by} AS text)`,
    value: (parameter: string) => `CAST(${parameter} AS bigint)`,
    isOne: (text: string) => /^-?\d{1,18}$/.test(text),
  },
  uuid: {
    text: (by: string) => `CAST(${by} AS text)`,
    value: (parameter: string) => `CAST(${parameter} AS uuid)`,
    isOne: isUuid,
  },
  flag: {
    text: (by: string) => `CAST(${by} AS text)`,
    value: (parameter: string) => `CAST(${parameter} AS boolean)`,
    isOne: (text: string) => text === 'true' || text === 'false',
  },
  text: {
    // An expression: a plain column would be selected only once, under this name.
    text: (by: string) => `CAST(${by} AS text)`,
    value: (parameter: string) => `CAST(${parameter} AS text)`,
    isOne: (text: string) => !text.includes('\0'),
  },
};

/** Filters rows by the times of a page's query: displayed times have milliseconds, which count as a whole. */
export function createdWithin(
  page: Pick<PageQuery, 'time_created_from' | 'time_created_to'>,
): FindOperator<Date> | null {
  const { time_created_from: from, time_created_to: to } = page;
  const bounds = [
    ...(from === undefined ? [] : [MoreThanOrEqual(from)]),
    ...(to === undefined ? [] : [LessThan(new Date(to.getTime() + 1))]),
  ];
  return bounds.length === 0 ? null : And(...bounds);
}

/**
 * Returns a page of the rows of `query`, in this order; all of them without a `limit`. With `cursor` instead of
 * `offset`, rows that are made or deleted meanwhile move none of the others. Throws VALIDATION for a cursor of
 * another order.
 *
 * @param total when it is known without counting, and the times leave nothing out
 */
export async function readPage<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  page: Partial<PageQuery>,
  order: readonly SortKey[],
  { created = 'timeCreated', total: known }: { created?: string; total?: number } = {},
): Promise<FoundPage<Row>> {
  const within = createdWithin(page);
  if (within !== null) query.andWhere({ [created]: within });
  const counted = query.clone();
  for (const { by, descending } of order) query.addOrderBy(by, descending === true ? 'DESC' : 'ASC');
  const { cursor, offset = 0, limit } = page;
  if (limit === undefined) {
    const rows = await query.getMany();
    return { rows, total: rows.length, next: null };
  }
  const total = within === null && known !== undefined ? known : await counted.getCount();
  if (cursor === undefined) return { rows: await query.offset(offset).limit(limit).getMany(), total, next: null };
  const place = placeIn(
    cursor,
    order.map(({ kind }) => kind),
  );
  if (place !== null) {
    query.andWhere(
      behind(order, (at) => `:place${at}`),
      Object.fromEntries(place.map((value, at) => [`place${at}`, value])),
    );
  }
  for (const [at, { by, kind }] of order.entries()) query.addSelect(KINDS[kind].text(by), `place_${at}`);
  // One more row tells whether there is a next page.
  query.offset(place === null ? offset : 0).limit(limit + 1);
  const { entities, raw } = await query.getRawAndEntities<Record<string, string>>();
  const last = entities.length > limit ? raw[limit - 1] : undefined;
  const next = last === undefined ? null : placeOf(order.map((_, at) => last[`place_${at}`] ?? ''));
  return { rows: entities.slice(0, limit), total, next };
}

/** SQL: rows after the place whose values these parameters are. */
export function behind(order: readonly SortKey[], parameter: (at: number) => string): string {
  const values = order.map(({ kind }, at) => KINDS[kind].value(parameter(at)));
  const sign = ({ descending }: SortKey): string => (descending === true ? '<' : '>');
  const [first] = order;
  if (first !== undefined && order.every((key) => sign(key) === sign(first))) {
    // One row comparison, which an index in this order answers.
    return `(${order.map(({ by }) => by).join(', ')}) ${sign(first)} (${values.join(', ')})`;
  }
  const ways = order.map((key, at) => {
    const same = order.slice(0, at).map(({ by }, before) => `${by} = ${values[before]}`);
    return `(${[...same, `${key.by} ${sign(key)} ${values[at]}`].join(' AND ')})`;
  });
  return `(${ways.join(' OR ')})`;
}

/** Encodes a place in a list as a cursor. */
export function placeOf(values: readonly (string | number | boolean)[]): string {
  return JSON.stringify(values.map(String));
}

/** Decodes the values of a cursor; null for the start of a list. Throws VALIDATION for other kinds. */
export function placeIn(text: string, kinds: readonly SortKey['kind'][]): string[] | null {
  if (text === '') return null;
  const values = valuesOf(text);
  const isOne = values?.length === kinds.length && kinds.every((kind, at) => KINDS[kind].isOne(values[at] ?? ''));
  if (values === null || !isOne) throw unknownCursor();
  return values;
}

/** Cursor of a page in a list whose items keep their numbers, which only grows at its end. */
export function offsetOf({ offset, cursor }: Pick<PageQuery, 'offset' | 'cursor'>): number {
  const place = cursor === undefined ? null : placeIn(cursor, ['number']);
  return place === null ? offset : Math.max(0, Number(place[0]));
}

function valuesOf(text: string): string[] | null {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : null;
  } catch {
    return null;
  }
}

export function unknownCursor(): AditError {
  const message =
    '?cursor is none of this list with these filters: begin with an empty one, and go on with that in `next`.';
  return new AditError('VALIDATION', message, { errors: [{ pointer: '?cursor', code: 'unknown_cursor', message }] });
}
