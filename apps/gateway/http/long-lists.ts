import { Readable } from 'node:stream';
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
  reply.header('content-type', 'application/json; charset=utf-8');
  return Readable.from(
    jsonOf(first, (after) => read(after, part), part, show),
    { objectMode: false, highWaterMark: 1 },
  );
}

async function* jsonOf<Row>(
  first: Row[],
  read: (after: Row | null) => Promise<Row[]>,
  part: number,
  show: (rows: Row[]) => Promise<unknown[]>,
): AsyncGenerator<string> {
  let before = '[';
  for (let rows = first; rows.length > 0; rows = rows.length < part ? [] : await read(rows.at(-1) ?? null)) {
    yield before + (await show(rows)).map((item) => JSON.stringify(item)).join();
    before = ',';
  }
  yield ']';
}
