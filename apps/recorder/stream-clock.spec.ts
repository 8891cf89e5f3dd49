import { describe, expect, it } from '@jest/globals';
import { StreamClock } from './stream-clock.js';

const NEW = { zeroAt: null, frames: 0, lastUs: 0 };
const NOON = Date.UTC(2026, 10, 30, 12);

describe('the clock of a stream', () => {
  it('begins with the first picture, by the time that the stream states or by ours', () => {
    const ours = new StreamClock(NEW);
    expect(ours.place(NOON)).toEqual({ frame: 0, us: 0, endUs: 0 });
    expect(ours.zeroAt).toEqual(new Date(NOON));
    const stated = new StreamClock(NEW);
    expect(stated.place(NOON, NOON - 18_000)).toEqual({ frame: 0, us: 0, endUs: 0 });
    expect(stated.timeAt(2_500_000)).toBe(NOON - 18_000 + 2500);
  });

  it('goes on by the wall clock after a break, and never before what was read', () => {
    const clock = new StreamClock(NEW);
    clock.place(NOON);
    clock.advance({ frameEnd: 250, ptsEnd: 10_000_000 });
    expect(clock.place(NOON + 13_000)).toEqual({ frame: 250, us: 13_000_000, endUs: 10_000_000 });
    expect(clock.place(NOON + 9_000)).toMatchObject({ us: 10_000_000 });
  });

  it('lets stated times show what was read before, as far as a playlist goes back', () => {
    const clock = new StreamClock(NEW);
    clock.place(NOON + 18_000, NOON);
    clock.advance({ frameEnd: 1000, ptsEnd: 300_000_000 });
    expect(clock.place(NOON + 320_000, NOON + 290_000)).toMatchObject({ us: 290_000_000, endUs: 300_000_000 });
    // An hour back is a clock that was set, not a repetition.
    expect(clock.place(NOON + 330_000, NOON + 330_000 - 3_600_000)).toMatchObject({ us: 300_000_000 });
  });

  it('keeps the delay of stated times where they are missing later', () => {
    const clock = new StreamClock(NEW);
    clock.place(NOON + 18_000, NOON);
    clock.advance({ frameEnd: 250, ptsEnd: 10_000_000 });
    expect(clock.place(NOON + 18_000 + 12_000)).toMatchObject({ us: 12_000_000 });
  });

  it('does not believe times of another day', () => {
    const clock = new StreamClock(NEW);
    clock.place(NOON, 0);
    expect(clock.zeroAt).toEqual(new Date(NOON));
  });

  it('is taken over where it was', () => {
    const clock = new StreamClock({ zeroAt: new Date(NOON), frames: 500, lastUs: 20_000_000 });
    expect(clock.place(NOON + 25_000)).toEqual({ frame: 500, us: 25_000_000, endUs: 20_000_000 });
  });
});
