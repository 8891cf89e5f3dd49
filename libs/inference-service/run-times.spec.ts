import { describe, expect, it } from '@jest/globals';
import { WatchedRuns } from './run-times.js';

const rows = (times: { counts: number[] } | null) => times?.counts.reduce((sum, count) => sum + count, 0) ?? 0;

describe('watched runs', () => {
  it('are reported to every watcher of a version, to each since its last request', () => {
    const runs = new WatchedRuns();
    const wanted = new Map([
      ['one', ['stable', 'a']],
      ['other', ['stable', 'b']],
    ]);
    runs.watch(wanted);
    runs.ran('stable', 3, 0.3);
    runs.ran('nobody', 5, 0.1);
    expect(rows(runs.take('one', 'stable'))).toBe(3);
    expect(rows(runs.take('one', 'stable'))).toBe(0);
    runs.ran('stable', 2, 0.2);
    runs.watch(wanted);
    expect([rows(runs.take('one', 'stable')), rows(runs.take('other', 'stable'))]).toEqual([2, 5]);
    expect(runs.take('other', 'a')).toBeNull();
  });

  it('are forgotten when nobody watches any more', () => {
    const runs = new WatchedRuns();
    runs.watch(new Map([['one', ['stable']]]));
    runs.ran('stable', 3, 0.3);
    runs.watch(new Map());
    runs.watch(new Map([['one', ['stable']]]));
    expect(runs.take('one', 'stable')).toBeNull();
  });
});
