import { describe, expect, it } from '@jest/globals';
import type { Detection } from '@adit/contracts';
import fc from 'fast-check';
import { fairShare, trackOf } from './tracks.js';

interface Client {
  appearancesOf(segment: object): object;
  boxesAt(view: object, time: number): number[][];
}
const { appearancesOf, boxesAt } = (await import(new URL('./client/tracks.js', import.meta.url).href)) as Client;

const box = (frame_index: number, x = 0.25): Detection => ({
  frame_index,
  type: 'face_bbox',
  data: { x, y: 0.5, w: 0.125, h: 0.2 },
});
const framesOf = (track: number[]) => track.filter((_, at) => at % 5 === 0);

describe('the boxes that a film plays with', () => {
  it('boxes share the available number fairly', () => {
    expect(fairShare([5, 5])).toBe(400);
    expect(fairShare([2, 1000, 1000], 102)).toBe(50);
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 50 }), fc.integer({ min: 0, max: 5000 }), (counts, most) => {
        const share = fairShare(counts, most);
        expect(counts.reduce((sum, count) => sum + Math.min(count, share), 0)).toBeLessThanOrEqual(
          Math.max(most, share === 400 ? counts.reduce((sum, count) => sum + Math.min(count, 400), 0) : 0),
        );
      }),
    );
  });

  it('boxes are thinned evenly, the first and the last kept, with all of a frame or none', () => {
    const all = Array.from({ length: 1000 }, (_, at) => [box(12 * at), box(12 * at, 0.75)]).flat();
    const track = trackOf(all, 400);
    expect(track.length / 5).toBe(400);
    expect([framesOf(track)[0], framesOf(track).at(-1)]).toEqual([0, 999 * 12]);
    const steps = framesOf(track)
      .filter((_, at) => at % 2 === 0)
      .map((frame, at, frames) => frame - (frames[at - 1] ?? frame))
      .slice(1);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(12);
    expect(trackOf([box(3)], 400)).toEqual([3, 2500, 5000, 1250, 2000]);
    expect(trackOf([{ frame_index: 1, type: 'x', data: {} }], 400)).toEqual([]);
  });
});

describe('the position of somebody at a time', () => {
  const segment = { timeStart: 1, timeEnd: 9, frameStart: 25, frameEnd: 225 };
  const at = (detections: Detection[], time: number) =>
    boxesAt(appearancesOf({ ...segment, track: trackOf(detections, 400) }), time).map(([x]) => x);

  it('the position moves from one detection to the next, and ends with the last', () => {
    const seen = [box(25, 0.2), box(50, 0.4), box(200, 0.8)];
    expect(at(seen, 1)).toEqual([0.2]);
    expect(at(seen, 1.5)[0]).toBeCloseTo(0.3);
    expect(at(seen, 2.4)).toEqual([0.4]);
    expect(at(seen, 3)).toEqual([]);
    expect(at([box(25), box(38), box(50), box(63), box(200)], 5)).toEqual([]);
    expect(at([box(25)], 3)).toEqual([]);
    expect(at([], 3)).toEqual([]);
  });

  it('the position is the nearest detection where one frame shows several', () => {
    const seen = [box(25, 0.1), box(25, 0.6), box(50, 0.3)];
    expect(at(seen, 1.2)).toEqual([0.1, 0.6]);
    expect(at(seen, 1.8)).toEqual([0.3]);
  });
});
