import { describe, expect, it } from '@jest/globals';
import { panned, showing, tickSeconds, whole, zoomed, type Extent } from './viewport.js';

const film: Extent = { duration: 7200, fps: 25 };

describe('the part of the time that is shown', () => {
  it('zooming leaves the time under the pointer where it is', () => {
    const view = zoomed(whole(film), 0.25, 1800, film);
    expect(view.end - view.start).toBeCloseTo(1800);
    expect((1800 - view.start) / (view.end - view.start)).toBeCloseTo(0.25);
  });

  it('zooming goes from all of it to single frames, and no further', () => {
    let view = whole(film);
    for (let step = 0; step < 100; step += 1) view = zoomed(view, 0.5, 3600, film);
    expect(view.end - view.start).toBeCloseTo(12 / 25);
    expect(view.start).toBeLessThanOrEqual(3600);
    expect(view.end).toBeGreaterThanOrEqual(3600);
    for (let step = 0; step < 100; step += 1) view = zoomed(view, 2, 3600, film);
    expect(view).toEqual(whole(film));
  });

  it('moving ends at the ends', () => {
    const view = { start: 10, end: 20 };
    expect(panned(view, -100, film)).toEqual({ start: 0, end: 10 });
    expect(panned(view, 1e6, film)).toEqual({ start: 7190, end: 7200 });
  });

  it('a time out of sight is brought into it; one in sight moves nothing', () => {
    const view = { start: 10, end: 20 };
    expect(showing(view, 15, film)).toBe(view);
    const moved = showing(view, 100, film);
    expect([moved.start <= 100, moved.end >= 100, moved.end - moved.start]).toEqual([true, true, 10]);
  });

  it('a film shorter than the closest zoom is shown whole', () => {
    const short = { duration: 0.2, fps: 25 };
    expect(zoomed(whole(short), 0.1, 0.1, short)).toEqual(whole(short));
  });
});

it('marks of the ruler lie apart, at whole frames below a second', () => {
  expect(tickSeconds(0.001, 96, 25)).toBeCloseTo(0.2);
  expect(tickSeconds(0.001, 96, null)).toBeCloseTo(0.1);
  expect(tickSeconds(0.03, 96, 25)).toBe(5);
  expect(tickSeconds(10, 96, 25)).toBe(1800);
});
