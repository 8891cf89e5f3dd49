import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ObjectFollower, type SightedObject } from './follow.js';

function object(label: string, index: number, x: number): SightedObject {
  return { label, index, time: index / 2, x, y: 0.4, w: 0.1, h: 0.1, score: 0.6 };
}

function follow(frames: SightedObject[][], cuts: number[] = []) {
  const follower = new ObjectFollower();
  frames.forEach((objects, index) => follower.add(objects, cuts.includes(index)));
  return follower.finish();
}

const brief = (tracks: ReturnType<typeof follow>) =>
  tracks.map(({ label, sightings }) => `${label} ${sightings.map(({ index }) => index).join(' ')}`);

describe('ObjectFollower', () => {
  it('never follows from one label to another', () => {
    const frames = [0, 1, 2, 3].map((i) => [object(i < 2 ? 'cup' : 'bowl', i, 0.3)]);
    expect(brief(follow(frames))).toEqual(['cup 0 1', 'bowl 2 3']);
  });

  it('keeps the label across a momentary misclassification', () => {
    const frames = [0, 1, 2, 3, 4].map((i) => [object(i === 1 || i === 3 ? 'bowl' : 'cup', i, 0.3)]);
    const tracks = follow(frames);
    expect(brief(tracks)).toEqual(['cup 0 1 2 3 4']);
    expect(tracks[0]?.sightings.map(({ label }) => label)).toEqual(Array(5).fill('cup'));
  });

  it('separates two objects that appear together, in other places or across a cut', () => {
    const cup = [0, 1, 2].map((i) => object('cup', i, 0.3));
    const bowl = object('bowl', 1, 0.3);
    expect(brief(follow([[cup[0]!], [cup[1]!, bowl], [cup[2]!]]))).toEqual(['cup 0 1 2', 'bowl 1']);
    expect(brief(follow([[cup[0]!], [object('bowl', 1, 0.36)], [cup[2]!]]))).toEqual(['cup 0 2', 'bowl 1']);
    expect(brief(follow([[cup[0]!], [bowl], [cup[2]!]], [1]))).toEqual(['cup 0', 'bowl 1', 'cup 2']);
  });

  it('ends every track at a cut, even when the next shot is empty', () => {
    const frames = [
      [object('car', 0, 0.1), object('person', 0, 0.6)],
      [object('car', 1, 0.1)],
      [object('car', 2, 0.1), object('person', 2, 0.6)],
    ];
    expect(brief(follow(frames, [1]))).toEqual(['car 0', 'person 0', 'car 1 2', 'person 2']);
  });

  it('puts every object into exactly one track, and none twice in a sample', () => {
    const seen = fc.record({ label: fc.constantFrom('a', 'b'), x: fc.double({ min: 0, max: 0.9, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(fc.array(seen, { maxLength: 4 }), { maxLength: 8 }), (film) => {
        const frames = film.map((objects, index) => objects.map(({ label, x }) => object(label, index, x)));
        const tracks = follow(frames);
        const places = (objects: SightedObject[]) => objects.map(({ index, x }) => `${index} ${x}`).sort();
        expect(places(tracks.flatMap(({ sightings }) => sightings))).toEqual(places(frames.flat()));
        for (const { label, sightings } of tracks) {
          for (const one of sightings) expect(one.label).toBe(label);
          const indexes = sightings.map(({ index }) => index);
          expect(indexes).toEqual([...new Set(indexes)].sort((a, b) => a - b));
        }
      }),
    );
  });
});
