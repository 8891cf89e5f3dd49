/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import type { Unit, VideoFacts } from '@adit/contracts';
import { MAX_STATE_BYTES, sealState, unsealState } from '@adit/module-kit';
import type { ClosedSource, Segment } from '@adit/module-kit';
import { filmFacts } from '@adit/testing';
import fc from 'fast-check';
import { Matcher } from '../galleries/match.js';
import { chunk, CONTEXT, faceOf, galleryOf, observe, range } from '../face_recognition/testing/scenes.js';
import type { Actor } from '../face_recognition/testing/scenes.js';
import { decodeFace, encodeFace } from './face-code.js';
import { MAX_PEOPLE, PeopleFold } from './people-fold.js';
import type { FilmOfPeople, PeopleState } from './people-fold.js';
import { timesShown } from './person.js';
import { ageRangeOf, AGE_RANGES } from '../face_recognition/traits.js';

const [ANN, BOB, EVE] = [1, 2, 3];
const GALLERY = galleryOf('team', { Bob: BOB });

/** Returns the fold's result for a film, folded in chunks of these sizes; null without people. */
function filmOf(actors: Actor[], last: number, sizes = [60]): { film: FilmOfPeople | null; largestState: number } {
  let film: FilmOfPeople | null = null;
  const nothing: ClosedSource = { segments: [], summaries: [] };
  const reporter = {
    picture: (): Segment[] => [],
    summaries: () => [],
    film: (told: FilmOfPeople) => {
      film = told;
      return nothing;
    },
  };
  const fold = new PeopleFold(reporter, new Matcher([GALLERY]));
  const owner = { id: 'people', version: 1 };
  let state = fold.start(CONTEXT);
  let largestState = 0;
  for (let from = 0, at = 0; from <= last; at += 1) {
    const to = Math.min(last, from + (sizes[at % sizes.length] as number) - 1);
    const step = fold.fold(state, { unit: chunk(from, to), observations: { faces: observe(actors, from, to, 2) } });
    const stored = sealState(owner, step.state);
    largestState = Math.max(largestState, Buffer.byteLength(stored));
    state = unsealState<PeopleState>(owner, stored) as PeopleState;
    from = to + 1;
  }
  fold.close(state);
  return { film, largestState };
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000);

const woman = { female: 0.9, age: 34 };
const man = { female: 0.2, age: 52 };

describe('the people of a film', () => {
  it('are counted once however often they return', () => {
    const actors = [
      { person: ANN, samples: [...range(0, 9), ...range(40, 59)], ...woman },
      { person: BOB, samples: range(20, 29), ...man },
    ];
    const { film } = filmOf(actors, 79);
    expect(film?.people.map(({ known, seconds }) => [known, seconds])).toEqual([
      [null, 15],
      [0, 5],
    ]);
    expect(film?.people.map(timesShown)).toEqual([
      [0, 5, 20, 30],
      [10, 15],
    ]);
    expect(film?.count.gender).toEqual({ female: 1, male: 1 });
    expect(film?.shown.gender).toEqual({ female: 15, male: 5 });
    expect(film?.shown.age).toEqual({ '0-17': 0, '18-29': 0, '30-44': 15, '45-59': 5, '60-120': 0 });
    expect(film?.looked).toBe(40);
  });

  it('are present through gaps that split no segment, and not through longer ones', () => {
    const actors = [{ person: ANN, samples: [...range(0, 10), ...range(14, 20), ...range(25, 30)], ...woman }];
    expect(filmOf(actors, 60).film?.people[0]?.seconds).toBeCloseTo((21 + 6) / 2, 1);
  });

  it('are two when two of their faces are visible simultaneously, as in face_recognition', () => {
    const actors = [
      { person: ANN, samples: range(0, 40), ...woman },
      { person: ANN, samples: range(10, 60), x: 0.7, ...woman },
    ];
    expect(filmOf(actors, 80, [7]).film?.people.map(({ seconds }) => seconds)).toEqual([20.52, 25.52]);
  });

  it('are one when later views show it, and two when both were visible simultaneously', () => {
    const views = [
      { person: ANN, samples: range(0, 9), ...woman },
      { person: EVE, samples: range(20, 29), ...woman },
      { person: ANN, like: EVE, samples: range(40, 99), ...woman },
    ];
    const { film } = filmOf(views, 119);
    expect(film?.people.map((person) => [person.seconds, timesShown(person)])).toEqual([[40, [0, 5, 10, 15, 20, 50]]]);
    expect(film?.count.gender).toEqual({ female: 1, male: 0 });
    expect(film?.shown.gender).toEqual({ female: 40, male: 0 });
    const beside = [...views, { person: EVE, samples: range(45, 49), x: 0.7, ...woman }];
    expect(filmOf(beside, 119).film?.people.map(({ seconds }) => Math.round(seconds * 2) / 2)).toEqual([35, 7.5]);
  });

  it('count for nothing without a good view', () => {
    expect(filmOf([{ person: ANN, samples: range(0, 20), views: 0 }], 40).film).toBeNull();
    expect(filmOf([], 40).film).toBeNull();
  });

  it('are the same wherever the film is cut', () => {
    const actor = fc.record({
      person: fc.integer({ min: 1, max: 4 }),
      like: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      from: fc.nat(60),
      length: fc.integer({ min: 1, max: 30 }),
      x: fc.constantFrom<number>(0.1, 0.4, 0.7),
      female: fc.double({ min: 0, max: 1, noNaN: true }),
      age: fc.integer({ min: 1, max: 90 }),
    });
    type Role = { x: number; from: number; length: number };
    const areOneBox = (a: Role, b: Role) =>
      a !== b && a.x === b.x && a.from <= b.from + b.length && b.from <= a.from + a.length;
    // One box is never two faces at once: the detector suppresses one of them.
    const cast = fc
      .uniqueArray(actor, { maxLength: 5, selector: ({ x, person }) => `${x}${person}` })
      .filter((roles) => !roles.some((a) => roles.some((b) => areOneBox(a, b))));
    // A person similar to two others replaces one of them: the means of both are nearer than single views are.
    const halves = [
      { person: 1, like: 3, from: 38, length: 3, x: 0.1, female: 0, age: 1 },
      { person: 4, like: 1, from: 28, length: 9, x: 0.1, female: 0, age: 1 },
    ];
    const others = [
      { person: 3, like: 1, from: 0, length: 2, x: 0.7, female: 0, age: 1 },
      { person: 2, like: 1, from: 3, length: 3, x: 0.7, female: 0, age: 1 },
    ];
    fc.assert(
      fc.property(cast, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }), (roles, sizes) => {
        const traits = new Map(roles.map(({ person, female, age }) => [person, { female, age }]));
        const actors = roles.map(({ person, like, from, length, x }) => ({
          person,
          ...(like !== undefined && { like }),
          x,
          samples: range(from, from + length),
          ...(traits.get(person) as { female: number; age: number }),
        }));
        const whole = filmOf(actors, 110, [200]).film;
        const cut = filmOf(actors, 110, sizes).film;
        const told = (film: FilmOfPeople | null) =>
          film && [
            film.people.map(({ known, seconds, first }) => [known, milliseconds(seconds), first]),
            film.count,
            [film.shown.gender, film.shown.age].map((tally) => Object.values(tally).map(milliseconds)),
            milliseconds(film.looked),
          ];
        expect(told(cut)).toEqual(told(whole));
        for (const { seconds } of whole?.people ?? []) {
          expect(milliseconds(seconds)).toBeLessThanOrEqual(milliseconds(whole!.looked));
        }
      }),
      {
        numRuns: 40,
        examples: [
          [halves, [1]],
          [others, [1]],
        ],
      },
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
    const shown = milliseconds(film!.people.reduce((total, { seconds }) => total + seconds, 0));
    expect([film!.shown.gender, film!.shown.age].map((tally) => milliseconds(sum(tally)))).toEqual([shown, shown]);
  });

  it('beyond those kept individually are still counted, in a state under 1 MiB', () => {
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
    expect(Object.values(film!.shown.gender).map(milliseconds)).toEqual([crowd * 500, crowd * 500]);
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
  });
});

describe('screen time', () => {
  const nothing: ClosedSource = { segments: [], summaries: [] };
  const always: Actor[] = [{ person: ANN, samples: range(0, 400), ...woman }];

  /**
   * Returns the counted seconds of units by their frames; every 12 or 13 of 25 frames is a sample, and so is the first
   * of a range.
   */
  function shown(...units: [frameStart: number, frameEnd: number, sampled: number[], ptsEnd?: number][]): number[] {
    const told: number[] = [];
    const reporter = {
      picture: () => [],
      summaries: () => [],
      film: ({ people, looked }: FilmOfPeople) => {
        told.push(...people.map(({ seconds }) => milliseconds(seconds)), milliseconds(looked));
        return nothing;
      },
    };
    const fold = new PeopleFold(reporter, new Matcher([]));
    let state = fold.start(CONTEXT);
    const known = observe(always, 0, 400, 2).tracks[0]!;
    for (const [frameStart, frameEnd, frames, ptsEnd = frameEnd] of units) {
      const sampled = frames.map((frame) => ({ frame, time: frame / 25 }));
      const at = <T extends { frame: number }>(like: T) => sampled.map((sample) => ({ ...like, ...sample }));
      const tracks =
        frames.length === 0 ? [] : [{ ...known, sightings: at(known.sightings[0]!), views: at(known.views[0]!) }];
      const interval = { frameStart, frameEnd, ptsStart: frameStart, ptsEnd, seekPts: frameStart };
      const unit: Unit = { ...chunk(0, 1), kind: 'video', interval };
      state = fold.fold(state, { unit, observations: { faces: { sampled, tracks } } }).state;
    }
    fold.close(state);
    return told;
  }

  /** Returns the summary for units whose frames are shown `late`, in frames of 1/25 s, or in ticks of `facts`. */
  function secondsOf(
    units: { from: number; to: number; frames: number[] }[],
    late: (frame: number) => number,
    facts: Partial<VideoFacts> = {},
  ): { people: number[]; gender: number; age: number; looked: number } {
    let told: FilmOfPeople | null = null;
    const film = (of: FilmOfPeople) => {
      told = of;
      return nothing;
    };
    const fold = new PeopleFold({ picture: () => [], summaries: () => [], film }, new Matcher([]));
    let state = fold.start(CONTEXT);
    const known = observe(always, 0, 400, 2).tracks[0]!;
    const film25 = filmFacts(facts);
    const tick = film25.timeBase.num / film25.timeBase.den;
    for (const { from, to, frames } of units) {
      const sampled = frames.map((frame) => ({ frame, time: late(frame) * tick }));
      const at = <T extends { frame: number }>(like: T) => sampled.map((sample) => ({ ...like, ...sample }));
      // The tracker ends a track after less than two seconds: before the hole it is one, behind it another.
      const tracks = [(frame: number) => frame < 125, (frame: number) => frame >= 125].flatMap((isOf, id) => {
        const of = <T extends { frame: number }>(all: T[]) => all.filter(({ frame }) => isOf(frame));
        const sightings = of(at(known.sightings[0]!));
        return sightings.length === 0 ? [] : [{ ...known, id, sightings, views: of(at(known.views[0]!)) }];
      });
      const interval = { frameStart: from, frameEnd: to, ptsStart: late(from), ptsEnd: late(to), seekPts: late(from) };
      const unit: Unit = { ...chunk(0, 1), facts: film25, kind: 'video', interval };
      const step = fold.fold(state, { unit, observations: { faces: { sampled, tracks } } });
      state = JSON.parse(JSON.stringify(step.state)) as PeopleState;
    }
    fold.close(state);
    const { people, shown: totals, looked } = told as unknown as FilmOfPeople;
    const sum = (of: Record<string, number>) => milliseconds(Object.values(of).reduce((a, b) => a + b, 0));
    return {
      people: people.map(({ seconds }) => milliseconds(seconds)),
      gender: sum(totals.gender),
      age: sum(totals.age),
      looked: milliseconds(looked),
    };
  }

  /** @hardening media: Screen times are longer than the media */
  it('ends with the range, and with the film', () => {
    expect(shown([30, 56, [30, 38, 50]])).toEqual([1040, 1040]);
    expect(shown([30, 31, [30]])).toEqual([40, 40]);
    expect(shown([0, 13, [0]], [13, 20, [13]])).toEqual([800, 800]);
  });

  it('continues over the border of chunks, and through a chunk without a sample', () => {
    expect(shown([0, 40, [0, 13, 25, 38]], [40, 60, [50]])).toEqual([2400, 2400]);
    expect(shown([0, 40, [0, 13, 25, 38]], [40, 45, []])).toEqual([1800, 1800]);
    expect(shown([0, 40, [0, 13, 25, 38]], [40, 45, []], [45, 60, [50]])).toEqual([2400, 2400]);
  });

  it('excludes parts that could not be analysed', () => {
    expect(shown([0, 40, [0, 13, 25, 38]], [80, 100, [88]])).toEqual([1600 + 480 + 1920, 1600 + 480]);
    expect(shown([0, 40, [0, 13, 25, 38]], [40, 140, []])).toEqual([1600, 1600]);
    expect(shown([0, 40, [0, 13, 25, 38]], [40, 140, []], [140, 150, [140]])[1]).toBe(1600 + 400);
  });

  it('counts pictures, never a hole in the clock, wherever the film is cut', () => {
    // Five seconds, 20 or 95 lost, five more; the chunk ends in the hole, before it, and behind it.
    for (const lost of [20, 95]) {
      const frames = [...range(0, 9), ...range(10, 19)].map((sample) => Math.ceil(sample * 12.5));
      const late = (frame: number) => frame + (frame < 125 ? 0 : lost * 25);
      for (const cuts of [[], [125], [63], [188], [120, 125], [125, 130], [63, 120, 188]]) {
        const edges = [0, ...cuts, 250];
        const units = edges.slice(1).map((to, at) => {
          const from = edges[at]!;
          return { from, to, frames: frames.filter((frame) => frame >= from && frame < to) };
        });
        expect([cuts, secondsOf(units, late)]).toEqual([
          cuts,
          { people: [10_000], gender: 10_000, age: 10_000, looked: 10_000 },
        ]);
      }
    }
  });

  it('does not count jumps of the clock', () => {
    expect(shown([0, 40, [0, 13, 25, 38], 4000])).toEqual([1600, 1600]);
    expect(shown([0, 40, [0, 13, 25, 38], 4000], [4000, 4020, [4000]])[1]).toBe(1600 + 800);
    expect(shown([0, 40, [0, 13, 25, 38], 700])).toEqual([1600, 1600]);
    // With one picture every ten seconds, each counts for as long.
    const slow = { fps: { num: 1, den: 10 }, timeBase: { num: 10, den: 1 } };
    expect(secondsOf([{ from: 0, to: 3, frames: [0, 1, 2] }], (frame) => frame, slow).looked).toBe(30_000);
  });
});

describe('a stored face', () => {
  it('is nearly the face itself, and stays the same when stored again', () => {
    const face = faceOf(EVE);
    const read = decodeFace(encodeFace(face));
    const cosine = read.reduce((sum, value, index) => sum + value * (face[index] as number), 0);
    expect(cosine).toBeGreaterThan(0.9998);
    expect(encodeFace(read)).toBe(encodeFace(face));
  });
});

describe('an age', () => {
  it('falls into its range', () => {
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
