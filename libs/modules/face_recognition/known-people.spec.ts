import { describe, expect, it } from '@jest/globals';
import { AppliedDictionaries } from '@adit/dictionaries';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { Segment } from '@adit/module-kit';
import { FaceRecognitionArguments } from './args.js';
import { FaceFold } from './fold.js';
import { Matcher } from '../galleries/match.js';
import { joinIdentities } from './segments.js';
import {
  CONTEXT,
  faceFold,
  foldFilm,
  galleryOf,
  observe,
  otherGalleryOf,
  range,
  unit,
  viewOf,
} from './testing/scenes.js';
import type { Actor } from './testing/scenes.js';
import { ANN, BOB, EVE, FAY, TEAM, brief } from './testing/cast.js';

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

  it('has a face to be compared with, the same one wherever the film is cut', () => {
    const samples = [...range(0, 20), ...range(23, 40)];
    const faces = [[7], [41]].map((sizes) => {
      const { segments } = foldFilm(faceFold({}, TEAM), [{ person: ANN, samples }], { last: 60, sizes });
      expect(brief(segments)).toEqual([['Ann', 0, 20]]);
      return segments[0]?.face;
    });
    expect(faces[0]).toEqual(faces[1]);
    const { network, embedding = [] } = faces[0] ?? {};
    expect(network).toBe('face-embedding');
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 4);
    const view = viewOf(ANN, 1).vector;
    expect(embedding.reduce((sum, value, at) => sum + value * (view[at] ?? 0), 0)).toBeGreaterThan(0.7);
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
