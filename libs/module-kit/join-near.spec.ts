import { elementAt } from '@adit/contracts';
import { atOnce } from '@adit/runtime';
import { randomOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinNear, type Mean } from './join-near.js';

const none = () => false;

/** Directions in a plane, by their degrees; 60 degrees are a distance of 1. */
function at(degrees: number, weight = 1): Mean {
  const angle = (degrees * Math.PI) / 180;
  return { direction: [Math.cos(angle), Math.sin(angle)], weight };
}

const joined = (means: Mean[], areApart: (a: number, b: number) => boolean = none) =>
  atOnce(joinNear(means, 1, areApart));

describe('near means', () => {
  it('are joined, and others are not', () => {
    expect(joined([at(0), at(121), at(59), at(200)])).toEqual([[0, 2], [1], [3]]);
    expect(joined([])).toEqual([]);
  });

  it('are joined nearest first, by weight, and then have one mean', () => {
    // 0 and 50 are joined at 25, near to 84; if 50 and 84 were joined first, they would be 67 from 0.
    expect(joined([at(0), at(50), at(84)])).toEqual([[0], [1, 2]]);
    expect(joined([at(0), at(33), at(84)])).toEqual([[0, 1], [2]]);
    expect(joined([at(0), at(33, 9), at(84)])).toEqual([[0, 1, 2]]);
  });

  it('are not joined where any two of them are apart', () => {
    const apart =
      (...pair: number[]) =>
      (a: number, b: number) =>
        pair.includes(a) && pair.includes(b);
    expect(joined([at(0), at(10), at(21)], apart(0, 2))).toEqual([[0, 1], [2]]);
    expect(joined([at(0), at(10)], apart(0, 1))).toEqual([[0], [1]]);
  });

  it('stay unchanged in a crowd of one face, whose pairs would be searched repeatedly', () => {
    const crowd = Array.from({ length: 2_000 }, (_, place) => at(place / 100));
    expect(joined(crowd, () => true)).toEqual(crowd.map((_, place) => [place]));
    expect(joined(crowd)).toHaveLength(crowd.length);
    expect(joined(crowd.slice(0, 100))).toHaveLength(1);
  });

  it('are grouped independently of their order, and joining them again changes nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 2 }), fc.nat({ max: 12 }), (seed, count) => {
        // No two pairs are equally near, so that ties do not matter.
        const random = randomOf(seed);
        const all = Array.from({ length: count }, () => at(random() * 360, 1 + Math.floor(random() * 9)));
        const shuffled = all
          .map((one) => ({ one, key: random() }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const placesIn = (list: Mean[]) =>
          joined(list)
            .map((group) => group.map((place) => all.indexOf(elementAt(list, place))).sort((a, b) => a - b))
            .sort(([a = 0], [b = 0]) => a - b);
        expect(placesIn(shuffled)).toEqual(placesIn(all));
        const means = placesIn(all).map((group) => meanOf(group.map((place) => elementAt(all, place))));
        expect(joined(means)).toHaveLength(means.length);
      }),
    );
  });
});

function meanOf(members: Mean[]): Mean {
  const sum = [0, 1].map((axis) =>
    members.reduce((total, { direction, weight }) => total + elementAt(direction, axis) * weight, 0),
  );
  const length = Math.hypot(...sum);
  return { direction: sum.map((value) => value / length), weight: 1 };
}
