import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AppliedDictionaries } from '@adit/dictionaries';
import { MAX_STATE_BYTES, sealState, unsealState } from '@adit/module-kit';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { Segment } from '@adit/module-kit';
import { FaceRecognitionArguments } from './args.js';
import { FaceFold } from './fold.js';
import type { FaceState } from './fold.js';
import faceRecognition from './module.js';
import { Matcher } from '../galleries/match.js';
import { joinIdentities } from './segments.js';
import { CONTEXT, faceFold, foldFilm, galleryOf, observe, otherGalleryOf, range, unit } from './testing/scenes.js';
import type { Actor } from './testing/scenes.js';

const [ANN, BOB, EVE, FAY] = [1, 2, 3, 4];
const TEAM = galleryOf('team', { Ann: ANN, Bob: BOB });

function brief(segments: Segment[]) {
  return segments.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd]);
}

describe('one known person', () => {
  it('seen all the time is one segment, though the tracker breaks and the film is cut', () => {
    // 200 s at 2 samples per second; every seventh sample misses the face.
    const samples = range(0, 399).filter((sample) => sample % 7 !== 3);
    const { segments } = foldFilm(faceFold({}, TEAM), [{ person: ANN, samples, drift: 0.001 }], {
      last: 399,
      sizes: [40],
    });
    expect(brief(segments)).toEqual([['Ann', 0, 199.52]]);
    const [segment] = segments as [Segment];
    expect(segment).toMatchObject({
      sourceIndex: 3,
      frameStart: 0,
      frameEnd: 4988,
      type: 'face',
      meta: { person: 'Ann', class_id: TEAM.classes[0]?.id, indexed_identity: null },
    });
    expect(Object.keys(segment.meta)).not.toContain('closest_person');
    expect(segment.detections).toHaveLength(samples.length);
    expect(segment.detections[1]).toEqual({
      frame_index: 13,
      type: 'face_bbox',
      data: { x: 0.101, y: 0.2, w: 0.1, h: 0.18 },
    });
  });

  it('is split by 2.5 s of absence and not by 2.0 s', () => {
    const actor = { person: ANN, samples: [...range(0, 10), ...range(14, 20), ...range(25, 30)] };
    const { segments } = foldFilm(faceFold({}, TEAM), [actor], { last: 60 });
    expect(brief(segments)).toEqual([
      ['Ann', 0, 10],
      ['Ann', 12.52, 15],
    ]);
  });

  it('with two simultaneous faces is the one visible longer', () => {
    const actors = [
      { person: ANN, samples: range(0, 40) },
      { person: ANN, samples: range(10, 60), x: 0.7 },
    ];
    const { segments } = foldFilm(faceFold({}, TEAM), actors, { last: 80, sizes: [7] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 20],
      ['Ann', 5, 30],
    ]);
    // The mirror image is near nobody else, in none of its views.
    expect(segments[0]?.meta['closest_person']).toBe('Bob');
    expect(segments[0]?.meta['mean_similarity']).toBeLessThan(0.35);
  });

  it('is the nearer of two candidates, also when the other one ends earlier', () => {
    // Views as far from the photos as those of an unknown face similar to Ann.
    const lookalike = { person: ANN, samples: range(0, 20), views: 20, x: 0.7 };
    const ann = { person: ANN, samples: range(10, 60) };
    const { segments } = foldFilm(faceFold({ max_distance: 1.1 }, TEAM), [lookalike, ann], { last: 80, sizes: [5] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 10],
      ['Ann', 5, 30],
    ]);
  });

  it('stays known through views that alone would not be', () => {
    const actors = [{ person: ANN, samples: range(0, 59), views: 20 }];
    const { segments } = foldFilm(faceFold({}, TEAM), actors, { last: 80, sizes: [5] });
    expect(brief(segments)).toEqual([['Ann', 0, 29.52]]);
  });

  it('has the deciding distance, and means over all views', () => {
    const { segments } = foldFilm(faceFold({}, TEAM), [{ person: ANN, samples: range(0, 39) }], { last: 60 });
    const meta = segments[0]?.meta as Record<string, number>;
    // Forty views together are nearly the face itself: cosine .78 with a photo; each alone about .78² = .61.
    expect(meta['similarity']).toBeCloseTo(0.78, 1);
    expect(meta['distance']).toBeCloseTo(Math.sqrt(2 - 2 * (meta['similarity'] as number)), 3);
    expect(meta['mean_similarity']).toBeGreaterThan(0.55);
    expect(meta['mean_similarity']).toBeLessThan(0.68);
    expect(meta['mean_distance']).toBeGreaterThan(meta['distance'] as number);
    expect(segments[0]?.confidence).toBe(meta['similarity']);
  });
});

describe('unknown people', () => {
  it('are unknown with their nearest person, one segment each', () => {
    const actors = [
      { person: EVE, samples: range(0, 30) },
      { person: FAY, samples: range(0, 30), x: 0.6 },
    ];
    const { segments } = foldFilm(faceFold({}, TEAM), actors, { last: 40, sizes: [9] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 15],
      ['unknown', 0, 15],
    ]);
    for (const { meta } of segments) {
      expect(meta).toMatchObject({ person: 'unknown', class_id: null, indexed_identity: null });
      expect(['Ann', 'Bob']).toContain(meta['closest_person']);
      expect(meta['distance']).toBeGreaterThan(1.2);
    }
  });

  it('have no nearest person without a gallery', () => {
    const { segments } = foldFilm(faceFold({ enable_top_k: true }), [{ person: EVE, samples: range(0, 9) }], {
      last: 30,
    });
    expect(segments).toHaveLength(1);
    expect(segments[0]?.meta).toEqual({
      person: 'unknown',
      class_id: null,
      closest_person: null,
      similarity: 0,
      distance: 2,
      mean_similarity: 0,
      mean_distance: 2,
      indexed_identity: null,
      top_k: [],
    });
  });

  it('continue after a short absence elsewhere in the picture, by their face', () => {
    const actors = [
      { person: EVE, samples: range(0, 10) },
      { person: EVE, samples: range(13, 20), x: 0.7 },
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 40 }).segments)).toEqual([['unknown', 0, 10]]);
  });

  it('are two when the picture cuts from one to the other in the same place', () => {
    const actors = [
      { person: EVE, samples: range(0, 19) },
      { person: FAY, samples: range(20, 40) },
    ];
    const expected = [
      ['unknown', 0, 9.52],
      ['unknown', 10, 20],
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 60, sizes: [20] }).segments)).toEqual(expected);
    expect(brief(foldFilm(faceFold({}), actors, { last: 60, sizes: [61] }).segments)).toEqual(expected);
  });

  it('appear twice in one picture as two, as in a mirror', () => {
    const actors = [
      { person: EVE, samples: range(0, 20) },
      { person: EVE, samples: range(10, 30), x: 0.7 },
    ];
    expect(brief(foldFilm(faceFold({}), actors, { last: 50 }).segments)).toEqual([
      ['unknown', 0, 10],
      ['unknown', 5, 15],
    ]);
  });

  it('too small to embed are followed by position alone', () => {
    const small = { person: EVE, samples: range(0, 30), size: 24, views: 0 };
    const tiny = { person: ANN, samples: range(0, 30), size: 20, views: 0, x: 0.6 };
    const { segments } = foldFilm(faceFold({ cluster_unknowns: true }, TEAM), [small, tiny], { last: 50, sizes: [4] });
    expect(brief(segments)).toEqual([
      ['unknown', 0, 15],
      ['unknown', 0, 15],
    ]);
    for (const segment of segments) {
      expect(segment.meta).toMatchObject({ closest_person: null, similarity: 0, distance: 2 });
      expect(segment.claim).toBeUndefined();
    }
  });

  it('claim a cluster on request, known people never', () => {
    const actors = [
      { person: EVE, samples: range(0, 9) },
      { person: ANN, samples: range(0, 9), x: 0.6 },
    ];
    const { segments } = foldFilm(faceFold({ cluster_unknowns: true }, TEAM), actors, { last: 30 });
    const [known, unknown] = segments as [Segment, Segment];
    expect(known.claim).toBeUndefined();
    expect(unknown.claim).toMatchObject({ collection: 'unknowns', maxDistance: 1 });
    const indexing = faceFold({ index_unknowns: true, cluster_unknowns: true, index_collection: 'archive' }, TEAM);
    const [, indexed] = foldFilm(indexing, actors, { last: 30 }).segments as [Segment, Segment];
    expect(indexed.claim).toEqual({ ...unknown.claim, collection: 'archive', network: 'face-embedding' });
    const square = unknown.claim?.embedding.reduce((sum, value) => sum + value * value, 0);
    expect(square).toBeCloseTo(1, 4);
  });
});

describe('arguments', () => {
  const film = [{ person: ANN, samples: range(0, 9) }];

  it('max_distance decides who is known', () => {
    const { segments } = foldFilm(faceFold({ max_distance: 0.3 }, TEAM), film, { last: 30 });
    expect(segments[0]?.meta).toMatchObject({ person: 'unknown', closest_person: 'Ann' });
  });

  it('top_k names the nearest people, nearest first', () => {
    const others = galleryOf('others', { Eve: EVE, Fay: FAY }, false);
    const { segments } = foldFilm(faceFold({ enable_top_k: true, top_k: 3 }, TEAM, others), film, { last: 30 });
    const top = segments[0]?.meta['top_k'] as { person: string; class_id: string | null; distance: number }[];
    expect(top).toHaveLength(3);
    expect(top[0]?.person).toBe('Ann');
    expect(top.map(({ distance }) => distance)).toEqual([...top.map(({ distance }) => distance)].sort((a, b) => a - b));
    for (const { person, class_id } of top) expect(class_id !== null).toBe(['Ann', 'Bob'].includes(person));
  });
});

describe('faces on pictures', () => {
  const image = { kind: 'image', format: 'jpeg', width: 800, height: 600 } as const;

  it("give a segment each, numbered by the picture's index in the job", () => {
    const fold = faceFold({}, TEAM);
    const observations = {
      faces: observe(
        [
          { person: BOB, samples: [0] },
          { person: EVE, samples: [0], x: 0.5 },
        ],
        0,
        0,
        2,
      ),
    };
    const context = { sourceIndex: null, facts: image };
    const step = fold.fold(fold.start(context), { unit: unit(image, 6), observations });
    expect(brief(step.segments)).toEqual([
      ['Bob', 0, 0],
      ['unknown', 0, 0],
    ]);
    for (const segment of step.segments) {
      expect(segment).toMatchObject({ sourceIndex: 6, frameStart: 6, frameEnd: 6 });
      expect(segment.detections).toHaveLength(1);
      expect(segment.detections[0]?.frame_index).toBe(6);
      expect(Object.keys(segment.meta)).not.toContain('mean_distance');
    }
    expect(fold.close(step.state)).toEqual({ segments: [], summaries: [] });
  });
});

describe('faces of one picture', () => {
  const image = { kind: 'image', format: 'jpeg', width: 640, height: 480 } as const;
  const inPicture = (people: number[], args = {}) => {
    const fold = faceFold(args, TEAM);
    const actors = people.map((person, place) => ({ person, samples: [0], x: place * 0.2 }));
    const context = { sourceIndex: null, facts: image };
    const observations = { faces: observe(actors, 0, 0, 2) };
    return fold.fold(fold.start(context), { unit: unit(image, 6), observations }).segments;
  };

  it('never share a name: the nearer one gets it, the other its next candidate, or is unknown', () => {
    const alone = inPicture([ANN])[0];
    const twice = inPicture([ANN, BOB, ANN], { enable_top_k: true, top_k: 2 });
    expect(twice.map(({ label }) => label).sort()).toEqual(['Ann', 'Bob', 'unknown']);
    expect(twice.find(({ label }) => label === 'Ann')?.meta['distance']).toBe(alone?.meta['distance']);
    const stranger = twice.find(({ label }) => label === 'unknown');
    // Nobody who is another face of the picture.
    expect(stranger?.meta['closest_person']).toBeNull();
    expect(stranger?.meta['top_k']).toEqual([]);
  });

  it('claim identities of their own', () => {
    const claims = inPicture([EVE, EVE], { cluster_unknowns: true }).map(({ claim }) => claim?.apart);
    expect(claims).toEqual(['picture 6/6', 'picture 6/6']);
  });
});

describe('two intervals of one person', () => {
  it('show the nearer distance and weighted means', () => {
    const far = { nearest: [{ person: 0, distance: 0.5 }], meanCosine: 0.9, weight: 3 };
    const near = { nearest: [{ person: 0, distance: 0.4 }], meanCosine: 0.5, weight: 1 };
    for (const joined of [joinIdentities(far, near), joinIdentities(near, far)]) {
      expect(joined.nearest).toEqual(near.nearest);
      expect(joined.meanCosine).toBeCloseTo(0.8, 9);
      expect(joined.weight).toBe(4);
    }
  });
});

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

describe('dictionaries', () => {
  const given = (type: 'map' | 'simple', entries: [string, string | null][]) =>
    new AppliedDictionaries([
      {
        specification: { id: '', mode: 'exact', threshold: 0.8 },
        dictionary: {
          name: type,
          type,
          language: 'any',
          entries: entries.map(([source, target]) => ({ source, target })),
        },
      },
    ]);
  const actors: Actor[] = [
    { person: ANN, samples: range(0, 20) },
    { person: BOB, samples: range(0, 20), x: 0.4 },
    { person: EVE, samples: range(0, 20), x: 0.7 },
  ];
  const mined = (dictionaries: LabelDictionaries, args = {}) =>
    foldFilm(new FaceFold(FaceRecognitionArguments.parse(args), new Matcher([TEAM]), dictionaries), actors, {
      last: 40,
    }).segments;

  it('replace names, also of people who are only near', () => {
    const segments = mined(
      given('map', [
        ['ANN', 'Anna'],
        ['Bob', 'Bobby'],
        ['unknown', 'nobody'],
      ]),
      {
        enable_top_k: true,
        top_k: 1,
      },
    );
    expect(segments.map(({ label, meta }) => [label, meta['person']])).toEqual([
      ['Anna', 'Anna'],
      ['Bobby', 'Bobby'],
      ['unknown', 'unknown'],
    ]);
    const [anna, , unknown] = segments;
    expect(anna?.meta['top_k']).toMatchObject([{ person: 'Anna' }]);
    expect(['Anna', 'Bobby']).toContain(unknown?.meta['closest_person']);
  });

  it('of people drop everybody else', () => {
    expect(mined(given('simple', [['Bob', null]])).map(({ label }) => label)).toEqual(['Bob']);
  });
});

describe('a gallery of the user’s own network', () => {
  const OURS = otherGalleryOf('team', { Ann: ANN, Bob: BOB }, 192);
  const as = (person: number) => ({ person, dimensions: 192 });

  it("is compared with that network's embeddings, while faces are followed by the built-in one", () => {
    const actors: Actor[] = [
      // Both networks tell them apart; only the other one identifies them.
      { person: EVE, compared: as(ANN), samples: range(0, 59), x: 0.1 },
      { person: FAY, compared: as(7), samples: range(0, 59), x: 0.6 },
    ];
    for (const sizes of [[60], [7, 13], [1]]) {
      const { segments } = foldFilm(faceFold({ cluster_unknowns: true }, OURS), actors, { last: 59, sizes });
      expect(brief(segments)).toEqual([
        ['Ann', 0, 29.52],
        ['unknown', 0, 29.52],
      ]);
      const [ann, nobody] = segments as [Segment, Segment];
      expect(ann.meta).toMatchObject({
        person: 'Ann',
        distance: expect.closeTo(0, 3),
        mean_similarity: expect.closeTo(1, 3),
      });
      expect(nobody.meta['distance']).toBeGreaterThan(1);
      // Clusters and collections use one network, whatever the gallery.
      expect(nobody.claim?.embedding).toHaveLength(512);
    }
  });

  it('identifies the face of a picture', () => {
    const fold = faceFold({}, OURS);
    const facts = { kind: 'image' as const, format: 'jpeg', width: 1920, height: 1080 };
    const faces = observe([{ person: EVE, compared: as(BOB), samples: [0] }], 0, 0, 2);
    const { segments } = fold.fold(fold.start(CONTEXT), { unit: unit(facts as never, 0), observations: { faces } });
    expect(segments.map(({ label }) => label)).toEqual(['Bob']);
  });
});
