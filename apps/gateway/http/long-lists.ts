import { Readable } from 'node:stream';
import type { Page } from '@adit/contracts';
import type { FastifyReply } from 'fastify';

/** Rows that are read, shown and held in memory at a time, where nothing else is said. */
const PART = 500;

/**
 * All of a list that may be long: up to so many rows as they are; more as a stream of JSON that is read in parts, as fast as the
 * client takes it, so that a list of any length costs the memory of one part. A stream has no ETag, and breaks off where the
 * database fails.
 *
 * @param read rows behind this one, null for the first, in an order that what is added or removed meanwhile does not change
 * @param part rows of a part
 */
export async function longList<Row>(
  reply: FastifyReply,
  read: (after: Row | null, limit: number) => Promise<Row[]>,
  show: (rows: Row[]) => Promise<unknown[]>,
  part = PART,
): Promise<unknown[] | Readable> {
  const first = await read(null, part);
  if (first.length < part) return show(first);
  return streamed(reply, jsonOf(first, { read, show, part, most: Infinity, around: ['[', ']'] }));
}

/** The same of a page whose rows are large, given without them; `read` begins at the page's offset. */
export async function longPage<Row>(
  reply: FastifyReply,
  page: Page<unknown>,
  read: (after: Row | null, limit: number) => Promise<Row[]>,
  show: (rows: Row[]) => Promise<unknown[]>,
  part = PART,
): Promise<Page<unknown> | Readable> {
  const { limit: most } = page;
  const first = await read(null, Math.min(part, most));
  if (first.length < part || most === part) return { ...page, data: await show(first) };
  const head = JSON.stringify({ ...page, data: [] }).slice(0, -']}'.length);
  return streamed(reply, jsonOf(first, { read, show, part, most, around: [head, ']}'] }));
}

function streamed(reply: FastifyReply, parts: AsyncIterable<string>): Readable {
  reply.header('content-type', 'application/json; charset=utf-8');
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 });
}

interface Parts<Row> {
  read: (after: Row | null, limit: number) => Promise<Row[]>;
  show: (rows: Row[]) => Promise<unknown[]>;
  part: number;
  /** Rows of all parts. */
  most: number;
  /** Text before and behind the items. */
  around: readonly [string, string];
}

async function* jsonOf<Row>(first: Row[], { read, show, part, most, around }: Parts<Row>): AsyncGenerator<string> {
  const [head, tail] = around;
  yield head;
  let separator = '';
  let left = most;
  for (let rows = first; rows.length > 0;) {
    // Some of the rows may be gone by now.
    const items = (await show(rows)).map((item) => JSON.stringify(item));
    if (items.length > 0) {
      yield separator + items.join();
      separator = ',';
    }
    left -= rows.length;
    rows = rows.length < part || left === 0 ? [] : await read(rows.at(-1) ?? null, Math.min(part, left));
  }
  yield tail;
}
