import { describe, expect, it } from '@jest/globals';
import { normalise } from './embedding.js';
import { settleTracks } from './join.js';
import type { Sighting } from './sighting.js';

/** Two similar appearances, and a different one. */
const [ONE_APPEARANCE, OTHER_APPEARANCE] = [normalise([1, 0]), normalise([0, 1])];

function sighting(index: number, x: number, y = 0.4, size = 0.1): Sighting {
  const points: Sighting['points'] = [
    [x, y],
    [x, y],
    [x, y],
    [x, y],
    [x, y],
    [x, y],
  ];
  return {
    index,
    time: index / 2,
    x,
    y,
    w: size,
    h: size,
    score: 0.9,
    proposed: 0.9,
    points,
    appearance: ONE_APPEARANCE,
  };
}

describe('settleTracks', () => {
  const anna = normalise([1, 0, 0, 0.1]);
  const bert = normalise([0, 1, 0, 0.1]);
  const track = (indexes: number[], views: [number, Float32Array][]) => ({
    sightings: indexes.map((i) => sighting(i, 0.3)),
    views: views.map(([i, vector]) => ({ sighting: sighting(i, 0.3), vector })),
  });
  const shown = (tracks: ReturnType<typeof settleTracks>): string[] =>
    tracks.map(({ sightings }) => sightings.map(({ index }) => index).join(' '));

  it('joins one person over a short gap only', () => {
    const tracks = [
      track([0, 1], [[0, anna]]),
      track([2, 3], [[2, bert]]),
      track([4, 5], [[4, anna]]),
      track([20], [[20, anna]]),
    ];
    expect(shown(settleTracks(tracks))).toEqual(['0 1 4 5', '2 3', '20']);
  });

  it('never joins simultaneous tracks', () => {
    expect(shown(settleTracks([track([0, 1, 2], [[0, anna]]), track([2, 3], [[3, anna]])]))).toEqual(['0 1 2', '2 3']);
  });

  it('splits a track whose views show different people', () => {
    expect(
      shown(
        settleTracks([
          track(
            [0, 1, 2, 3, 4, 5],
            [
              [1, anna],
              [4, bert],
            ],
          ),
        ]),
      ),
    ).toEqual(['0 1 2', '3 4 5']);
  });

  it('splits where the appearance changes abruptly, also between somewhat similar people', () => {
    const carl = normalise([0.3, 0.95, 0, 0.1]);
    const followed = track([0, 1, 2, 3, 4, 5], [[0, anna]]);
    const changed = followed.sightings.map((one) => (one.index >= 4 ? { ...one, appearance: OTHER_APPEARANCE } : one));
    const at = (index: number, vector: Float32Array) => ({ sighting: changed[index]!, vector });
    const split = (views: ReturnType<typeof at>[]) => shown(settleTracks([{ sightings: changed, views }]));
    expect(split([at(0, anna), at(5, carl)])).toEqual(['0 1 2 3', '4 5']);
    // The same change, with one face on both sides that only turned.
    expect(split([at(0, anna), at(5, anna)])).toEqual(['0 1 2 3 4 5']);
    // Nothing changed abruptly: a face may vary that much.
    expect(
      shown(
        settleTracks([
          track(
            [0, 1, 2, 3, 4, 5],
            [
              [0, anna],
              [5, carl],
            ],
          ),
        ]),
      ),
    ).toEqual(['0 1 2 3 4 5']);
  });

  it('leaves tracks without views unchanged', () => {
    expect(shown(settleTracks([track([0], []), track([1], [])]))).toEqual(['0', '1']);
  });
});
