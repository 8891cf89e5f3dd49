import { setImmediate as turn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { longList, longPage } from './long-lists.js';

/** A table of so many numbers, and the parts that were read of it. */
function table(count: number) {
  const parts: number[] = [];
  const read = (after: number | null, limit: number): Promise<number[]> => {
    const from = after === null ? 0 : after + 1;
    const rows = Array.from({ length: Math.min(limit, count - from) }, (_, at) => from + at);
    parts.push(rows.length);
    return Promise.resolve(rows);
  };
  return { parts, read };
}

const headers = new Map<string, unknown>();
// A reply with the one method that is called.
const reply = { header: (name: string, value: unknown) => headers.set(name, value) } as unknown as FastifyReply;
const show = (rows: number[]): Promise<unknown[]> => Promise.resolve(rows.map((id) => ({ id, text: 'ä"\u2028' })));

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}

describe('long lists', () => {
  it.each([[0], [499]])('lists of %i rows are lists as they are', async (count) => {
    expect(await longList(reply, table(count).read, show)).toHaveLength(count);
  });

  it.each([[500], [501], [1_000], [2_345]])('lists of %i rows are streams of the same JSON', async (count) => {
    const streamed = await longList(reply, table(count).read, show);
    if (!(streamed instanceof Readable)) throw new Error('It is no stream.');
    const rows = Array.from({ length: count }, (_, at) => at);
    expect(await textOf(streamed)).toBe(JSON.stringify(await show(rows)));
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('rows that are gone when they are shown are left out', async () => {
    for (const isThere of [() => false, (id: number) => id >= 500, (id: number) => id < 500 || id > 1_200]) {
      const some = (rows: number[]) => show(rows.filter(isThere));
      const streamed = await longList(reply, table(1_300).read, some);
      const rows = Array.from({ length: 1_300 }, (_, at) => at);
      expect(await textOf(streamed as Readable)).toBe(JSON.stringify(await some(rows)));
    }
  });

  it('lists come in pages that are no longer than asked for, of the same JSON', async () => {
    for (const count of [0, 9, 10, 11, 25, 40]) {
      for (const limit of [1, 9, 10, 11, 20, 25, 30]) {
        const page = { total: count, offset: 0, limit, next: 'data":[]', prev: null, data: [] };
        const answer = await longPage(reply, page, table(count).read, show, 10);
        const rows = Array.from({ length: Math.min(count, limit) }, (_, at) => at);
        const expected = JSON.stringify({ ...page, data: await show(rows) });
        expect(answer instanceof Readable).toBe(limit > 10 && count >= 10);
        expect(answer instanceof Readable ? await textOf(answer) : JSON.stringify(answer)).toBe(expected);
      }
    }
  });

  it('lists are read no further than the client has taken', async () => {
    const { parts, read } = table(100_000);
    const streamed = await longList(reply, read, show);
    if (!(streamed instanceof Readable)) throw new Error('It is no stream.');
    streamed.read();
    for (let i = 0; i < 100; i += 1) await turn();
    expect(parts.length).toBeLessThanOrEqual(3);
    streamed.destroy();
  });

  it('lists break off where the following rows fail', async () => {
    const { read } = table(5_000);
    const failing = (after: number | null, limit: number) =>
      after !== null && after > 1_000 ? Promise.reject(new Error('away')) : read(after, limit);
    const streamed = await longList(reply, failing, show);
    await expect(textOf(streamed as Readable)).rejects.toThrow('away');
    await expect(longList(reply, () => Promise.reject(new Error('away')), show)).rejects.toThrow('away');
  });
});
