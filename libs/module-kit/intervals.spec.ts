import { describe, expect, it } from '@jest/globals';
import { gapOf } from '@adit/contracts';
import fc from 'fast-check';
import { addInterval, appearance, bridges, instantsOf, isFinal, takeAll, takeFinal } from './intervals.js';
import type { Instant, Interval } from './intervals.js';

/** Appearances at these samples, at `rate` samples per second of a film with 25 frames per second. */
function at(sample: number, rate: number): Instant {
  const gap = gapOf({ num: 25, den: 1 }, rate);
  return { sample, time: sample / rate, frame: Math.round((sample * 25) / rate), ...(gap > 2 && { gap }) };
}

const sum = (a: number, b: number) => a + b;

/** Feeds samples 0..last in chunks of `size`, as a fold does, and returns [key, start, end, appearances] as emitted. */
function build(shown: Record<string, number[]>, last: number, rate: number, size: number) {
  let open: Interval<number>[] = [];
  const emitted: Interval<number>[] = [];
  for (let from = 0; from <= last; from += size) {
    const to = Math.min(last, from + size - 1);
    for (let sample = from; sample <= to; sample += 1) {
      for (const [key, samples] of Object.entries(shown)) {
        if (!samples.includes(sample)) continue;
        const instant = at(sample, rate);
        addInterval(open, appearance(key, instant, [[instant.frame]], 1), sum);
      }
    }
    emitted.push(...takeFinal(open, at(to, rate)));
    open = JSON.parse(JSON.stringify(open)) as Interval<number>[];
  }
  emitted.push(...takeAll(open));
  return emitted.map(({ key, start, end, extra, marks }) => [key, start.sample, end.sample, extra, marks.kept.length]);
}

describe('segments', () => {
  it('bridge 2.0 s at two samples per second, and not 2.5 s', () => {
    expect(build({ ann: [0, 1, 2, 6, 7, 12] }, 20, 2, 100)).toEqual([
      ['ann', 0, 7, 5, 5],
      ['ann', 12, 12, 1, 1],
    ]);
  });

  it('bridge two samples where they are longer than 2.0 s', () => {
    expect(build({ ann: [0, 2, 5] }, 9, 0.2, 100)).toEqual([
      ['ann', 0, 2, 2, 2],
      ['ann', 5, 5, 1, 1],
    ]);
  });

  it('are split by a hole in the clock, though no sample lies in it', () => {
    const film = [0, 0.5, 1, 21, 21.5].map((time, frame) => ({ time, frame }));
    const instants = [...instantsOf(film, 0, gapOf({ num: 25, den: 1 }, 2)).values()];
    const open: Interval<number>[] = [];
    for (const instant of instants) addInterval(open, appearance('ann', instant, [[instant.frame]], 1), sum);
    expect(takeAll(open).map(({ start, end }) => [start.time, end.time])).toEqual([
      [0, 1],
      [21, 21.5],
    ]);
  });

  it('of a slow or rarely sampled film bridge two of its pictures, and no longer', () => {
    const times = [0, 10, 30, 50.1, 80];
    const film = times.map((time, frame) => ({ time, frame }));
    const parts = (gap: number) => {
      const open: Interval<number>[] = [];
      for (const instant of instantsOf(film, 0, gap).values())
        addInterval(open, appearance('ann', instant, [], 1), sum);
      return takeAll(open).map(({ start, end }) => [start.time, end.time]);
    };
    const bridged = [
      [0, 50.1],
      [80, 80],
    ];
    expect(parts(gapOf({ num: 1, den: 10 }, 2))).toEqual(bridged);
    expect(parts(gapOf({ num: 25, den: 1 }, 0.1))).toEqual(bridged);
    expect(parts(gapOf({ num: 25, den: 1 }, 1))).toHaveLength(5);
  });

  it('are never final while something could still bridge to them', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(40),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0.2, 1, 2, 8),
        (end, wait, next, rate) => {
          const horizon = at(end + wait, rate);
          if (isFinal(at(end, rate), horizon)) expect(bridges(at(end, rate), at(end + wait + next, rate))).toBe(false);
        },
      ),
    );
  });

  const scene = fc.record({
    rate: fc.constantFrom(0.2, 0.5, 1, 2, 5),
    shown: fc.dictionary(
      fc.constantFrom('ann', 'bob', 'cem'),
      fc.uniqueArray(fc.nat(79), { minLength: 1, maxLength: 50 }),
      { minKeys: 1 },
    ),
  });

  it('do not depend on where the chunks are cut', () => {
    fc.assert(
      fc.property(scene, fc.integer({ min: 1, max: 80 }), ({ rate, shown }, size) => {
        expect(build(shown, 79, rate, size)).toEqual(build(shown, 79, rate, 80));
      }),
    );
  });

  it('do not depend on the order of adding', () => {
    fc.assert(
      fc.property(scene, fc.infiniteStream(fc.nat()), ({ rate, shown }, order) => {
        const intervals = Object.entries(shown).flatMap(([key, samples]) =>
          samples.map((sample) => appearance(key, at(sample, rate), [[at(sample, rate).frame]], 1)),
        );
        const [inOrder, shuffled]: [Interval<number>[], Interval<number>[]] = [[], []];
        for (const interval of [...intervals].sort((a, b) => a.start.sample - b.start.sample))
          addInterval(inOrder, interval, sum);
        const ranks = new Map(intervals.map((interval) => [interval, order.next().value as number]));
        for (const interval of [...intervals].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))) {
          addInterval(shuffled, interval, sum);
        }
        const bare = (all: Interval<number>[]) =>
          takeAll(all).map(({ key, start, end, extra }) => ({ key, start, end, extra }));
        expect(bare(shuffled)).toEqual(bare(inOrder));
      }),
    );
  });

  it('wait for a continuation in progress', () => {
    const open = [appearance('ann', at(0, 2), [], 1), appearance('bob', at(1, 2), [], 1)];
    const final = takeFinal(open, at(30, 2), ({ key }) => key === 'ann');
    expect(final.map(({ key }) => key)).toEqual(['bob']);
    expect(open.map(({ key }) => key)).toEqual(['ann']);
  });
});
