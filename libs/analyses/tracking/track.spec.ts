import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Tracker, type Sighted } from './track.js';

function sighting(index: number, x: number, y = 0.4, size = 0.1): Sighted {
  return { index, time: index / 2, x, y, w: size, h: size };
}

function follow(frames: Sighted[][], cuts: number[] = []): string[] {
  const tracker = new Tracker<Sighted>();
  frames.forEach((sightings, i) => tracker.add(sightings, cuts.includes(i)));
  return tracker.finish().map((track) => track.sightings.map(({ index }) => index).join(' '));
}

describe('Tracker', () => {
  it('follows a face that moves by less than its width', () => {
    expect(follow([0.1, 0.17, 0.24, 0.33].map((x, i) => [sighting(i, x)]))).toEqual(['0 1 2 3']);
  });

  it('separates two faces that pass each other at different heights', () => {
    const frames = [0, 1, 2, 3, 4].map((i) => [sighting(i, 0.2 + i * 0.1, 0.3), sighting(i, 0.6 - i * 0.1, 0.5)]);
    expect(follow(frames)).toEqual(['0 1 2 3 4', '0 1 2 3 4']);
  });

  it('bridges two missed samples, but not four', () => {
    const seen = [0, 1, 4, 5, 10].map((i) => sighting(i, 0.3));
    const frames = Array.from({ length: 11 }, (_, i) => seen.filter(({ index }) => index === i));
    expect(follow(frames)).toEqual(['0 1 4 5', '10']);
  });

  it('ends every track at a cut', () => {
    expect(
      follow(
        [0, 1, 2, 3].map((i) => [sighting(i, 0.3)]),
        [2],
      ),
    ).toEqual(['0 1', '2 3']);
  });

  it('takes a face of a very different size for another one', () => {
    expect(follow([[sighting(0, 0.3)], [sighting(1, 0.28, 0.38, 0.2)]])).toEqual(['0', '1']);
  });

  it('puts every sighting into exactly one track, at most one of each frame', () => {
    const face = fc.record({
      x: fc.double({ min: 0, max: 0.9, noNaN: true }),
      y: fc.double({ min: 0, max: 0.9, noNaN: true }),
      size: fc.double({ min: 0.01, max: 0.4, noNaN: true }),
    });
    const film = fc.array(fc.array(face, { maxLength: 5 }), { maxLength: 12 });
    fc.assert(
      fc.property(film, fc.array(fc.nat(12)), (frames, cuts) => {
        const all = frames.map((faces, i) => faces.map(({ x, y, size }) => sighting(i, x, y, size)));
        const tracker = new Tracker<Sighted>();
        all.forEach((sightings, i) => tracker.add(sightings, cuts.includes(i)));
        const tracks = tracker.finish();
        expect(new Set(tracks.flatMap((track) => track.sightings))).toEqual(new Set(all.flat()));
        for (const { sightings } of tracks) {
          const indexes = sightings.map(({ index }) => index);
          expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
          for (const cut of cuts) expect(indexes.some((i) => i < cut) && indexes.some((i) => i >= cut)).toBe(false);
        }
      }),
    );
  });
});
