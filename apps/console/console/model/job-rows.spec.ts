import { describe, expect, it } from '@jest/globals';
import { isListed, mayRetry, secondsLeft, withNewest, withRow, type JobRow } from './job-rows.js';

const row = (id: string, created: number, more: Partial<JobRow> = {}): JobRow => ({
  ...{ id, created, name: id, more: 0, state: 'completed', mediaType: 'video', progress: 1, started: created },
  ...{ duration: 1, modules: [], errors: [], errorCount: 0, sources: [] },
  ...more,
});
const ids = (rows: JobRow[]) => rows.map(({ id }) => id).join('');
const list = [row('d', 4), row('c', 3), row('b', 2), row('a', 1)];

describe('the beginning of the list, read again', () => {
  it('the list gains what is new, loses what is gone, and keeps what lies behind', () => {
    const rows = withNewest(list, [row('e', 5), row('d', 4, { progress: 0.5 }), row('b', 2)], false);
    expect(ids(rows)).toBe('edba');
    expect(rows[1]?.progress).toBe(0.5);
  });

  it('the list is what was read where that is all', () => {
    expect(ids(withNewest(list, [row('d', 4)], true))).toBe('d');
    expect(withNewest(list, [], false)).toEqual([]);
  });

  it('jobs of the same moment are ordered by their ids, as the service orders them', () => {
    expect(ids(withNewest([row('b', 1), row('a', 1)], [row('b', 1)], false))).toBe('ba');
    expect(ids(withNewest([row('b', 1), row('a', 1)], [row('a', 1)], false))).toBe('a');
  });
});

describe('one job that has changed', () => {
  const all = { filter: {}, isWhole: false };

  it('a known job changes in its place', () => {
    const rows = withRow(list, row('c', 3, { state: 'failed' }), all);
    expect([ids(rows), rows[1]?.state]).toEqual(['dcba', 'failed']);
  });

  it('a new job comes in at its place; one behind the part that was read waits for its page', () => {
    expect(ids(withRow(list, row('x', 2.5), all))).toBe('dcxba');
    expect(ids(withRow(list, row('x', 0), all))).toBe('dcba');
    expect(ids(withRow(list, row('x', 0), { ...all, isWhole: true }))).toBe('dcbax');
  });

  it('a job leaves a list that it no longer belongs to, and is not put into one that it never did', () => {
    const filter = { state: 'completed' as const };
    expect(ids(withRow(list, row('c', 3, { state: 'failed' }), { filter, isWhole: true }))).toBe('dba');
    expect(ids(withRow(list, row('x', 9, { state: 'failed' }), { filter, isWhole: true }))).toBe('dcba');
    // What a search finds the service alone knows.
    expect(ids(withRow(list, row('x', 9), { filter: { search: 'y' }, isWhole: true }))).toBe('dcba');
    expect(isListed(row('x', 9, { mediaType: 'audio' }), { mediaType: 'video' })).toBe(false);
  });
});

describe('what may be done with a job', () => {
  it.each([
    ['a job that waits or runs', { state: 'processing' as const }, false],
    ['a whole job', {}, false],
    ['a failed job', { state: 'failed' as const }, true],
    ['a stopped job', { state: 'stopped' as const }, true],
    ['a completed job with errors', { errorCount: 1 }, true],
    [
      'a completed job of which a module failed',
      { modules: [{ id: 'm', state: 'failed' as const, progress: 0 }] },
      true,
    ],
  ])('%s', (_, more, may) => {
    expect(mayRetry(row('a', 1, more))).toBe(may);
  });
});

it('the time that is left follows from the pace, once there is one', () => {
  const running = { state: 'processing' as const, started: 0, progress: 0.25 };
  expect(secondsLeft(row('a', 0, running), 10_000)).toBe(30);
  expect(secondsLeft(row('a', 0, { ...running, progress: 0.01 }), 10_000)).toBeNull();
  expect(secondsLeft(row('a', 0, running), 1_000)).toBeNull();
  expect(secondsLeft(row('a', 0, { ...running, mediaType: 'videostream' }), 10_000)).toBeNull();
});
