import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_STATE_BYTES, sealState, unsealState } from '@adit/module-kit';
import type { Segment } from '@adit/module-kit';
import type { FaceState } from './fold.js';
import faceRecognition from './module.js';
import { CONTEXT, faceFold, foldFilm, galleryOf, observe, otherGalleryOf, range, unit } from './testing/scenes.js';
import type { Actor } from './testing/scenes.js';
import { ANN, BOB, EVE, TEAM, brief } from './testing/cast.js';

/** Everything but the embeddings of claims. */
function comparable(segments: Segment[]): unknown {
  return segments.map(({ claim, ...rest }) => ({ ...rest, claims: claim !== undefined }));
}

/** Sums in another order differ in their last bits, so a rounded number may differ by one in its last digit. */
function alike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) < 1.5e-4;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length && left.every(([key, value]) => alike(value, (b as Record<string, unknown>)[key]))
  );
}

describe('the fold', () => {
  it('leaves its input state unchanged', () => {
    const fold = faceFold({}, TEAM);
    const actors = [{ person: ANN, samples: range(0, 40) }];
    const step = (from: number, state = fold.start(CONTEXT)) =>
      fold.fold(state, { unit: unit(), observations: { faces: observe(actors, from, from + 9, 2) } });
    const first = step(0);
    const before = structuredClone(first.state);
    expect(step(10, first.state)).toEqual(step(10, first.state));
    expect(first.state).toEqual(before);
  });

  it('emits a segment as soon as it is final', () => {
    const fold = faceFold({}, TEAM);
    const actors = [{ person: ANN, samples: range(0, 9) }];
    const faces = (from: number, to: number) => ({
      unit: unit(),
      observations: { faces: observe(actors, from, to, 2) },
    });
    const seen = fold.fold(fold.start(CONTEXT), faces(0, 12));
    expect(seen.segments).toEqual([]);
    expect(brief(fold.fold(seen.state, faces(13, 14)).segments)).toEqual([['Ann', 0, 4.52]]);
  });

  it('continues a state of version 2 without repetition', () => {
    const fold = faceFold({}, TEAM);
    const actors = [
      { person: ANN, samples: range(0, 9) },
      { person: BOB, samples: range(0, 5), x: 0.3 },
      // Could be Ann, as far as it is visible.
      { person: EVE, samples: range(11, 30), x: 0.6, views: 0 },
    ];
    const step = (from: number, to: number, state: FaceState) =>
      fold.fold(state, { unit: unit(), observations: { faces: observe(actors, from, to, 2) } });
    const first = step(0, 19, fold.start(CONTEXT));
    const { waiting: _waiting, bearers: _bearers, ...former } = first.state;
    const sealed = sealState({ id: faceRecognition.id, version: 2 }, former);
    const adopted = unsealState<FaceState>(faceRecognition, sealed);
    expect(brief(first.segments)).toEqual([['Bob', 0, 2.52]]);
    expect(adopted).toEqual({ ...first.state, bearers: [{ person: 0, start: 0, end: 9 }] });
    const second = step(20, 39, adopted!);
    expect(brief([...second.segments, ...fold.close(second.state).segments])).toEqual([
      ['Ann', 0, 4.52],
      ['unknown', 5.52, 15],
    ]);
    // An earlier version's state differs, and a finished one is none.
    expect(unsealState(faceRecognition, sealState({ id: faceRecognition.id, version: 1 }, former))).toBeNull();
    expect(unsealState(faceRecognition, sealState({ id: faceRecognition.id, version: 2 }, null))).toBeNull();
  });

  it('refuses observations of another analysis', () => {
    const fold = faceFold({});
    expect(() => fold.fold(fold.start(CONTEXT), { unit: unit(), observations: { faces: { tracks: 1 } } })).toThrow();
  });

  it('keeps a hundred faces, open for ten minutes, under 1 MiB', () => {
    const crowd = range(0, 99).map((index) => ({
      person: 100 + index,
      samples: range(0, 299),
      x: index / 100,
      views: 15,
    }));
    const { segments, largestState } = foldFilm(faceFold({}), crowd, { last: 299, rate: 0.5, sizes: [15] });
    expect(segments).toHaveLength(100);
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
    expect(Math.max(...segments.map(({ detections }) => detections.length))).toBeLessThanOrEqual(1000);
    // Each gets its share of the state's capacity, spread over the whole time.
    for (const { detections } of segments) {
      expect(detections.length).toBeGreaterThan(30);
      expect((detections.at(-1)?.frame_index ?? 0) - (detections[0]?.frame_index ?? 0)).toBeGreaterThan(14_000);
    }
  });

  it('keeps them under 1 MiB with an embedding of another network each, however long', () => {
    const crowd = range(0, 149).map((index) => ({
      ...{ person: 100 + index, samples: range(0, 59), x: index / 150, views: 15 },
      compared: { person: 100 + index, dimensions: 1024 },
    }));
    const known = otherGalleryOf('team', { Ann: 100, Bob: 101 }, 1024);
    const { largestState } = foldFilm(faceFold({}, known), crowd, { last: 59, sizes: [15] });
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
    expect(largestState).toBeGreaterThan(MAX_STATE_BYTES / 3);
  });

  it('drops the smallest and longest unseen faces beyond its capacity', () => {
    const crowd = range(0, 299).map((index) => ({
      person: 100 + index,
      samples: range(0, 19),
      x: index / 300,
      views: 10,
    }));
    const { segments, largestState } = foldFilm(faceFold({}), crowd, { last: 39, sizes: [10] });
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
    expect(segments.length).toBeGreaterThanOrEqual(300);
    expect(segments.reduce((sum, { detections }) => sum + detections.length, 0)).toBeGreaterThan(3000);
  });

  it('limits the faces that wait for names to the capacity beside open ones', () => {
    const people = range(0, 119);
    const crowd = people.map((person) => ({ person, samples: range(0, 19), x: person / 120, views: 10 }));
    const mirrored = people
      .slice(0, 20)
      .map((person) => ({ person, samples: range(0, 9), x: (person + 0.5) / 120, views: 10 }));
    const everybody = galleryOf('everybody', Object.fromEntries(people.map((person) => [`Person ${person}`, person])));
    const fold = faceFold({}, everybody);
    const observations = { faces: observe([...crowd, ...mirrored], 0, 19, 2) };
    const { state } = fold.fold(fold.start(CONTEXT), { unit: unit(), observations });
    expect(state.threads).toHaveLength(120);
    expect(state.waiting.length).toBeLessThanOrEqual(8);
  });

  const sceneOf = fc.record({
    rate: fc.constantFrom(1, 2, 5),
    cast: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
    // Absences per actor, as [from, length].
    away: fc.array(fc.array(fc.tuple(fc.nat(99), fc.integer({ min: 1, max: 25 })), { maxLength: 9 }), {
      minLength: 4,
      maxLength: 4,
    }),
    views: fc.constantFrom(1, 2, 3),
  });

  /** @hardening media: Segments depend on where a film is cut */
  it('gives the same segments wherever the film is cut', () => {
    fc.assert(
      fc.property(
        sceneOf,
        fc.array(fc.integer({ min: 3, max: 40 }), { minLength: 1, maxLength: 6 }),
        (scene, sizes) => {
          const actors: Actor[] = scene.cast.map((person, place) => ({
            person,
            x: place * 0.24,
            views: scene.views,
            samples: range(0, 99).filter(
              (sample) => !scene.away[place]?.some(([from, length]) => sample >= from && sample < from + length),
            ),
          }));
          const fold = () => faceFold({ cluster_unknowns: true, enable_top_k: true }, TEAM);
          const whole = foldFilm(fold(), actors, { last: 99, rate: scene.rate, sizes: [100] }).segments;
          const cut = foldFilm(fold(), actors, { last: 99, rate: scene.rate, sizes }).segments;
          if (!alike(comparable(cut), comparable(whole))) expect(comparable(cut)).toEqual(comparable(whole));
        },
      ),
      {
        numRuns: 150,
        examples: [
          // A face without a view that begins within the gap of a known one: known people wait for it where a unit ends
          // there.
          [
            {
              rate: 1,
              cast: [1, 2, 3],
              away: [
                [
                  [64, 15],
                  [80, 1],
                ],
                [[78, 2]],
                [[78, 2]],
                [],
              ],
              views: 2,
            },
            [3],
          ],
        ],
      },
    );
  });

  it('gives the same segments wherever the film is cut, though known faces are there twice', () => {
    fc.assert(
      fc.property(
        sceneOf,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        (scene, sizes) => {
          const actors: Actor[] = [ANN, ANN, BOB, BOB].map((person, place) => ({
            person,
            x: place * 0.24,
            samples: range(0, 99).filter(
              (sample) => !scene.away[place]?.some(([from, length]) => sample >= from && sample < from + length),
            ),
          }));
          // A face whose name waits for another one is emitted after that, wherever units end.
          const seen = (cut: number[]) =>
            foldFilm(faceFold({}, TEAM), actors, { last: 99, rate: scene.rate, sizes: cut }).segments.map(
              ({ label, frameStart, frameEnd, detections }) =>
                [label, frameStart, frameEnd, detections.length].join(' '),
            );
          expect(seen(sizes)).toEqual(seen([100]));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('never gives one name to two faces of one frame', () => {
    fc.assert(
      fc.property(
        sceneOf,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.constantFrom(ANN, BOB, EVE), { minLength: 2, maxLength: 4 }),
        (scene, sizes, cast) => {
          const actors: Actor[] = cast.map((person, place) => ({
            person,
            x: place * 0.24,
            views: scene.views,
            samples: range(0, 99).filter(
              (sample) => !scene.away[place]?.some(([from, length]) => sample >= from && sample < from + length),
            ),
          }));
          const { segments } = foldFilm(faceFold({}, TEAM), actors, { last: 99, rate: scene.rate, sizes });
          for (const name of ['Ann', 'Bob']) {
            const frames = segments
              .filter(({ label }) => label === name)
              .flatMap(({ detections }) => detections.map(({ frame_index }) => frame_index));
            expect(new Set(frames).size).toBe(frames.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
