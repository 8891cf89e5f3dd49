import { expect, it } from '@jest/globals';
import { Spool } from './spool.js';

it('items come out in order, and what is added meanwhile is waited for', async () => {
  const spool = new Spool<number>(100);
  const taken: number[] = [];
  const reading = (async () => {
    for await (const item of spool) taken.push(item);
  })();
  for (const item of [1, 2, 3]) {
    expect(spool.push(item, 40)).toEqual([]);
    await new Promise(setImmediate);
  }
  spool.end();
  await reading;
  expect(taken).toEqual([1, 2, 3]);
});

it('the oldest items are dropped beyond its bytes, and never the newest', async () => {
  const spool = new Spool<string>(100);
  expect(spool.push('a', 60)).toEqual([]);
  expect(spool.push('b', 60)).toEqual(['a']);
  expect(spool.push('c', 40)).toEqual([]);
  expect(spool.push('d', 500)).toEqual(['b', 'c']);
  spool.end();
  const left: string[] = [];
  for await (const item of spool) left.push(item);
  expect(left).toEqual(['d']);
});
