import { describe, expect, it } from '@jest/globals';
import { AppliedDictionaries, type LoadedDictionary } from '@adit/dictionaries';
import { type Segment } from '@adit/module-kit';
import fc from 'fast-check';
import { range, unit } from '../face_recognition/testing/scenes.js';
import { classIdOf } from '../galleries/gallery-writer.js';
import { foldShots, landmarkFold, modelOf, NAMES, observe, type Shot } from './testing/scenes.js';

const brief = (segments: Segment[]) => segments.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd]);

function mapping(entries: Record<string, string | null>, type: 'map' | 'simple' = 'map') {
  const dictionary: LoadedDictionary = {
    name: 'test',
    type,
    language: 'any',
    entries: Object.entries(entries).map(([source, target]) => ({ source, target })),
  };
  return new AppliedDictionaries([{ specification: { id: '1', mode: 'exact', threshold: 0.8 }, dictionary }]);
}

describe('landmarks in a film', () => {
  it('give one segment per interval in which one is visible', () => {
    const shots = [
      { place: 'Castle', samples: [...range(0, 10), ...range(12, 20), ...range(26, 30)] },
      { place: 'Mill', samples: range(22, 24) },
    ];
    expect(brief(foldShots(landmarkFold(), shots, { last: 60 }))).toEqual([
      ['Castle', 0, 20],
      ['Mill', 22, 24],
      ['Castle', 26, 30],
    ]);
  });

  /** @hardening media: A landmark's segment lacks what the interface gives */
  it('have the documented fields, of the frame most similar to the landmark', () => {
    const shots = [
      { place: 'Bridge', samples: [2, 4], cosine: 0.7 },
      { place: 'Bridge', samples: [3], cosine: 0.8 },
    ];
    const [segment, ...others] = foldShots(landmarkFold(), shots, { last: 9, sizes: [3] });
    expect(others).toEqual([]);
    expect(segment).toEqual({
      sourceIndex: 3,
      frameStart: 50,
      frameEnd: 100,
      timeStart: 2,
      timeEnd: 4,
      type: 'landmark',
      label: 'Bridge',
      confidence: expect.closeTo(0.9, 2),
      meta: {
        landmark: {
          name: 'Bridge',
          class_id: classIdOf('town', 'Bridge'),
          type: ['bridge'],
          latitude: '49.4139',
          longitude: '8.7094',
          location: ['Heidelberg', 'Germany'],
        },
        confidence: segment?.confidence,
      },
      detections: [],
      thumbnail: { key: 'thumbnail-3', width: 160, height: 90 },
      keyFrame: { frame: 75, picture: { key: 'frame-3', width: 455, height: 256 } },
    });
  });

  it('count from min_similarity to a photo on', () => {
    const shots = NAMES.map((place, i) => ({ place, samples: [i * 10], cosine: [0.45, 0.55, 0.95][i] as number }));
    const labels = (min: number) => foldShots(landmarkFold(min), shots, { last: 30 }).map(({ label }) => label);
    expect(labels(0.7)).toEqual(NAMES);
    expect(labels(0.75)).toEqual(['Castle', 'Mill']);
    expect(labels(0.9)).toEqual(['Mill']);
    expect(labels(1)).toEqual([]);
  });

  it('give the same segments wherever it is cut', () => {
    const shot = fc.record({
      place: fc.constantFrom(...NAMES),
      samples: fc.uniqueArray(fc.nat(59), { maxLength: 30 }).map((samples) => samples.sort((a, b) => a - b)),
      cosine: fc.constantFrom(0.3, 0.5, 0.51, 0.8),
    });
    fc.assert(
      fc.property(
        fc.array(shot, { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0.5, 1, 5),
        (shots: Shot[], sizes, rate) => {
          const whole = foldShots(landmarkFold(), shots, { last: 59, rate, sizes: [60] });
          expect(foldShots(landmarkFold(), shots, { last: 59, rate, sizes })).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('fail when analysed by another network, with advice', () => {
    const model = { ...modelOf(), embedding: { name: 'image-embedding', digest: 'e'.repeat(64) } };
    const fold = landmarkFold(0.75, undefined, model);
    expect(() => foldShots(fold, [], { last: 3 })).toThrow(/town was built with another version.*build it again/);
  });
});

describe('landmarks on pictures', () => {
  it("give a segment each, numbered by the picture's index in the job", () => {
    const fold = landmarkFold();
    const facts = { kind: 'image', format: 'jpeg', width: 10, height: 10 } as const;
    const state = fold.start({ sourceIndex: null, facts });
    const show = (shots: Shot[]) =>
      fold.fold(state, { unit: unit(facts, 7), observations: { 'image-embedding': observe(shots, 0, 0) } });
    const step = show([{ place: 'Mill', samples: [0] }]);
    expect(step.state).toEqual(state);
    expect(step.segments).toMatchObject([
      {
        sourceIndex: 7,
        frameStart: 7,
        frameEnd: 7,
        label: 'Mill',
        meta: { landmark: { latitude: null, location: [] } },
      },
    ]);
    expect(show([]).segments).toEqual([]);
  });
});

describe('the landmark of a result', () => {
  const shots = [
    { place: 'Castle', samples: range(0, 3) },
    { place: 'Mill', samples: range(10, 13) },
  ];

  it('has a class id in models of a user alone', () => {
    const [castle] = foldShots(landmarkFold(0.75, undefined, modelOf(false)), shots, { last: 20 });
    expect(castle?.meta['landmark']).toEqual({
      name: 'Castle',
      type: null,
      latitude: null,
      longitude: null,
      location: [],
    });
  });

  it('is renamed and dropped by dictionaries', () => {
    const renamed = foldShots(landmarkFold(0.75, mapping({ Castle: 'Schloss' })), shots, { last: 20 });
    expect(renamed.map(({ label, meta }) => [label, (meta['landmark'] as { name: string }).name])).toEqual([
      ['Schloss', 'Schloss'],
      ['Mill', 'Mill'],
    ]);
    const chosen = foldShots(landmarkFold(0.75, mapping({ Mill: null }, 'simple')), shots, { last: 20 });
    expect(chosen.map(({ label }) => label)).toEqual(['Mill']);
  });
});
