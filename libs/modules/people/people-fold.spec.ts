import { describe, expect, it } from '@jest/globals';
import { MAX_STATE_BYTES, sealState, unsealState } from '@adit/mining';
import type { ClosedSource, Segment } from '@adit/mining';
import fc from 'fast-check';
import { Matcher } from '../galleries/match.js';
import { CONTEXT, faceOf, galleryOf, observe, range, unit } from '../face_recognition/testing/scenes.js';
import type { Actor } from '../face_recognition/testing/scenes.js';
import { decodeFace, encodeFace } from './face-code.js';
import { MAX_PEOPLE, PeopleFold } from './people-fold.js';
import type { FilmOfPeople, PeopleState } from './people-fold.js';
import { ageRangeOf, AGE_RANGES } from './traits.js';

const [ANN, BOB, EVE] = [1, 2, 3];
const GALLERY = galleryOf('team', { Bob: BOB });

/** What the fold tells of a film, folded in chunks of these sizes; null when it shows nobody. */
function filmOf(actors: Actor[], last: number, sizes = [60]): { film: FilmOfPeople | null; largestState: number } {
  let film: FilmOfPeople | null = null;
  const nothing: ClosedSource = { segments: [], summaries: [] };
  const teller = {
    picture: (): Segment[] => [],
    pictures: () => nothing,
    film: (told: FilmOfPeople) => {
      film = told;
      return nothing;
    },
  };
  const fold = new PeopleFold(teller, new Matcher([GALLERY]));
  const owner = { id: 'people', version: 1 };
  let state = fold.start(CONTEXT);
  let largestState = 0;
  for (let from = 0, chunk = 0; from <= last; chunk += 1) {
    const to = Math.min(last, from + (sizes[chunk % sizes.length] as number) - 1);
    const step = fold.fold(state, { unit: unit(), observations: { faces: observe(actors, from, to, 2) } });
    const stored = sealState(owner, step.state);
    largestState = Math.max(largestState, Buffer.byteLength(stored));
    state = unsealState<PeopleState>(owner, stored) as PeopleState;
    from = to + 1;
  }
  fold.close(state, CONTEXT);
  return { film, largestState };
}

const woman = { female: 0.9, age: 34 };
const man = { female: 0.2, age: 52 };

describe('the people of a film', () => {
  it('are counted once however often they come back', () => {
    const actors = [
      { person: ANN, samples: [...range(0, 9), ...range(40, 59)], ...woman },
      { person: BOB, samples: range(20, 29), ...man },
    ];
    const { film } = filmOf(actors, 79);
    expect(film?.people.map(({ known, samples }) => [known, samples])).toEqual([
      [null, 30],
      [0, 10],
    ]);
    expect(film?.count.gender).toEqual({ female: 1, male: 1 });
    expect(film?.shown.gender).toEqual({ female: 30, male: 10 });
    expect(film?.shown.age).toEqual({ '0-17': 0, '18-29': 0, '30-44': 30, '45-59': 10, '60-120': 0 });
    expect(film?.pace).toBeCloseTo(0.5, 2);
  });

  it('are there through gaps that split no segment, and not through longer ones', () => {
    const actors = [{ person: ANN, samples: [...range(0, 10), ...range(14, 20), ...range(25, 30)], ...woman }];
    expect(filmOf(actors, 60).film?.people[0]?.samples).toBe(21 + 6);
  });

  it('are there once when they are in the picture twice', () => {
    const actors = [
      { person: ANN, samples: range(0, 40), ...woman },
      { person: ANN, samples: range(10, 60), x: 0.7, ...woman },
    ];
    expect(filmOf(actors, 80, [7]).film?.people.map(({ samples }) => samples)).toEqual([61]);
  });

  it('count for nothing when nobody saw them well', () => {
    expect(filmOf([{ person: ANN, samples: range(0, 20), views: 0 }], 40).film).toBeNull();
    expect(filmOf([], 40).film).toBeNull();
  });

  it('are the same wherever the film is cut', () => {
    const actor = fc.record({
      person: fc.integer({ min: 1, max: 4 }),
      from: fc.nat(60),
      length: fc.integer({ min: 1, max: 30 }),
      x: fc.constantFrom(0.1, 0.4, 0.7),
      female: fc.double({ min: 0, max: 1, noNaN: true }),
      age: fc.integer({ min: 1, max: 90 }),
    });
    const cast = fc.uniqueArray(actor, { maxLength: 5, selector: ({ x, person }) => `${x}${person}` });
    fc.assert(
      fc.property(cast, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), (roles, sizes) => {
        const traits = new Map(roles.map(({ person, female, age }) => [person, { female, age }]));
        const actors = roles.map(({ person, from, length, x }) => ({
          person,
          x,
          samples: range(from, from + length),
          ...(traits.get(person) as { female: number; age: number }),
        }));
        const whole = filmOf(actors, 110, [200]).film;
        const cut = filmOf(actors, 110, sizes).film;
        const told = (film: FilmOfPeople | null) =>
          film && [film.people.map(({ known, samples, first }) => [known, samples, first]), film.count, film.shown];
        expect(told(cut)).toEqual(told(whole));
      }),
      { numRuns: 40 },
    );
  });

  it('add up: everybody has one gender, one age and their time', () => {
    const actors = range(1, 12).map((person) => ({
      person,
      samples: range(person * 3, person * 5),
      x: 0.07 * person,
      female: (person % 3) / 2,
      age: person * 7,
    }));
    const { film } = filmOf(actors, 100, [30]);
    const sum = (record: Record<string, number>) => Object.values(record).reduce((a, b) => a + b, 0);
    expect(film?.people).toHaveLength(12);
    expect([sum(film!.count.gender), sum(film!.count.age)]).toEqual([12, 12]);
    const shown = film!.people.reduce((total, { samples }) => total + samples, 0);
    expect([sum(film!.shown.gender), sum(film!.shown.age)]).toEqual([shown, shown]);
  });

  it('beyond those kept one by one are still counted, in a state under 1 MiB', () => {
    const crowd = MAX_PEOPLE + 30;
    const actors = range(1, crowd).map((person) => ({
      person: person + 100,
      samples: [...range(person * 2, person * 2 + 1)],
      x: (person % 9) / 10,
      ...(person % 2 === 0 ? woman : man),
    }));
    const { film, largestState } = filmOf(actors, crowd * 2 + 20, [40]);
    expect(film?.people).toHaveLength(MAX_PEOPLE);
    expect(film?.count.gender).toEqual({ female: crowd / 2, male: crowd / 2 });
    expect(film?.shown.gender).toEqual({ female: crowd, male: crowd });
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
  });
});

describe('a stored face', () => {
  it('is nearly the face itself, and stays as it is when stored again', () => {
    const face = faceOf(EVE);
    const read = decodeFace(encodeFace(face));
    const cosine = read.reduce((sum, value, index) => sum + value * (face[index] as number), 0);
    expect(cosine).toBeGreaterThan(0.9998);
    expect(encodeFace(read)).toBe(encodeFace(face));
  });
});

describe('an age', () => {
  it('falls in the range that has it', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 119.9, noNaN: true }),
        fc.double({ min: 0.1, max: 9, noNaN: true }),
        (age, weight) => {
          const [low, high] = ageRangeOf({ female: 0, age: age * weight, weight })
            .split('-')
            .map(Number) as [number, number];
          const years = Math.round(age * 1e6) / 1e6;
          expect(years).toBeGreaterThanOrEqual(low);
          expect(years).toBeLessThan(high + 1);
        },
      ),
    );
    expect(AGE_RANGES).toHaveLength(5);
  });
});
