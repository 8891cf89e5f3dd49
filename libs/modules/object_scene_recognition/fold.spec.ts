import { describe, expect, it } from '@jest/globals';
import { AppliedDictionaries, type LoadedDictionary } from '@adit/dictionaries';
import { MAX_STATE_BYTES, type Segment } from '@adit/module-kit';
import fc from 'fast-check';
import { range, unit } from '../face_recognition/testing/scenes.js';
import { confidenceOf } from './confidence.js';
import { GERMAN } from './german.js';
import { foldThings, objectFold, observe, SIZE, type Thing } from './testing/scenes.js';

function brief(segments: Segment[]) {
  return segments.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd]);
}

function mapping(entries: Record<string, string | null>, type: 'map' | 'simple' = 'map') {
  const dictionary: LoadedDictionary = {
    name: 'test',
    type,
    language: 'any',
    entries: Object.entries(entries).map(([source, target]) => ({ source, target })),
  };
  return new AppliedDictionaries([{ specification: { id: '1', mode: 'exact', threshold: 0.8 }, dictionary }]);
}

describe('a photo', () => {
  it("has a classifier's surest label first", () => {
    const facts = { kind: 'image' as const, format: 'jpeg' as const, width: 10, height: 10 };
    const fold = objectFold({ min_confidence: 5 });
    const scores = { apple: 0.1, beach: 0.6, cat: 0.3 };
    const scenes = Object.entries(scores).map(([label, score]) => ({ label, score }));
    const observations = { scenes: { sampled: [{ frame: 0, time: 0, scenes }], views: [] } };
    const state = fold.start({ sourceIndex: null, facts });
    const { segments } = fold.fold(state, { unit: unit(facts, 3), observations });
    expect(segments.map(({ label, confidence }) => [label, confidence])).toEqual([
      ['beach', 0.6],
      ['cat', 0.3],
      ['apple', 0.1],
    ]);
  });
});

describe('a film', () => {
  it('that is sampled every ten seconds shows a permanent object in one segment', () => {
    const { segments } = foldThings(objectFold(), [{ label: 'car', samples: range(0, 20) }], { last: 20, rate: 0.1 });
    expect(segments.map(({ label, timeStart, timeEnd }) => [label, timeStart, timeEnd])).toEqual([['car', 0, 200]]);
  });

  it('gives one segment per interval in which a label is visible', () => {
    const things = [
      { label: 'car', samples: [...range(0, 10), ...range(14, 20), ...range(26, 30)] },
      { label: 'person', samples: range(5, 99), x: 0.6 },
    ];
    expect(brief(foldThings(objectFold(), things, { last: 120 }).segments)).toEqual([
      ['car', 0, 10],
      ['car', 13, 15],
      ['person', 2.52, 49.52],
    ]);
  });

  it('has positions beside scenes, wherever it is cut', () => {
    const things = [{ label: 'boat', samples: range(4, 12) }];
    const places = [
      { label: 'beach', samples: [...range(0, 9), ...range(13, 20)] },
      { label: 'boat', samples: range(2, 8), score: 0.75 },
      { label: 'desert', samples: range(2, 8), score: 0.6 },
    ];
    const whole = foldThings(objectFold(), things, { last: 40, places }).segments;
    expect(
      whole.map(({ type, label, timeStart, timeEnd, detections }) => [
        type,
        label,
        timeStart,
        timeEnd,
        detections.length,
      ]),
    ).toEqual([
      ['scene', 'boat', 1, 4, 0],
      ['object', 'boat', 2, 6, 9],
      ['scene', 'beach', 0, 10, 0],
    ]);
    expect(whole[2]).toMatchObject({
      confidence: 0.9,
      meta: { label: 'beach', mean_confidence: 0.9 },
      thumbnail: { key: 'scene-0-beach' },
      keyFrame: { frame: 0 },
    });
    const cut = foldThings(objectFold(), things, { last: 40, places, sizes: [7, 3] }).segments;
    const brief = ({ thumbnail: _, keyFrame: __, ...segment }: Segment) => segment;
    expect(cut.map(brief)).toEqual(whole.map(brief));
  });

  it("has a classifier's results alone, wherever it is cut", () => {
    const places = [{ label: 'beach', samples: [...range(0, 9), ...range(16, 20)] }];
    const folded = [60, 7].map((size) =>
      foldThings(objectFold(), [], { last: 40, places, alone: true, sizes: [size] }).segments.map(
        ({ type, label, timeStart, timeEnd }) => [type, label, timeStart, timeEnd],
      ),
    );
    expect(folded[0]).toEqual([
      ['scene', 'beach', 0, 4.52],
      ['scene', 'beach', 8, 10],
    ]);
    expect(folded[1]).toEqual(folded[0]);
    expect(() => foldThings(objectFold(), [], { last: 4, alone: true })).toThrow(/No analysis has observations/);
  });

  it("has each caption's interval, beside other results, and wherever it is cut", () => {
    const things = [{ label: 'boat', samples: range(4, 12) }];
    const sentences = [
      { label: 'a boat on a river', samples: range(0, 7), score: 0.2 },
      { label: 'a street at night', samples: range(8, 20), score: 0.4 },
    ];
    const whole = foldThings(objectFold({}, mapping({ boat: null }, 'simple')), things, {
      last: 20,
      sentences,
    }).segments;
    expect(whole.map(({ type, label, timeStart, timeEnd }) => [type, label, timeStart, timeEnd])).toEqual([
      ['caption', 'a boat on a river', 0, 3.52],
      ['object', 'boat', 2, 6],
      ['caption', 'a street at night', 4, 10],
    ]);
    expect(whole[0]).toMatchObject({
      ...{ confidence: 0.2, detections: [], thumbnail: { key: 'sentence-0' } },
      meta: { label: 'a boat on a river', mean_confidence: 0.2 },
    });
    const cut = foldThings(objectFold(), things, { last: 20, sentences, sizes: [5, 3] }).segments;
    const brief = ({ thumbnail: _, keyFrame: __, ...segment }: Segment) => segment;
    expect(cut.map(brief)).toEqual(whole.map(brief));
  });

  it('has segments with the documented fields, with every box of its label', () => {
    const things = [
      { label: 'cup', samples: range(2, 4), score: 0.7 },
      { label: 'cup', samples: range(3, 3), x: 0.5, score: 0.6 },
    ];
    const { segments } = foldThings(objectFold(), things, { last: 20, sizes: [4] });
    const mean = (3 * confidenceOf(0.7) + confidenceOf(0.6)) / 4;
    expect(segments).toEqual([
      {
        sourceIndex: 3,
        frameStart: 25,
        frameEnd: 50,
        timeStart: 1,
        timeEnd: 2,
        type: 'object',
        label: 'cup',
        confidence: Number(mean.toFixed(4)),
        meta: { label: 'cup', mean_confidence: Number(mean.toFixed(4)) },
        detections: [
          [25, 0.1, 0.7],
          [38, 0.1, 0.7],
          [38, 0.5, 0.6],
          [50, 0.1, 0.7],
        ].map(([frame_index, x, score]) => ({
          frame_index,
          type: 'object_bbox',
          data: { x, ...SIZE, confidence: Number(confidenceOf(score as number).toFixed(4)) },
        })),
        thumbnail: { key: 'thumbnail-0-0', width: 160, height: 90 },
        keyFrame: { frame: 25, picture: { key: 'frame-0-0', width: 160, height: 90 } },
      },
    ]);
  });

  it('takes no face for an animal', () => {
    const dogs = [null, 0.2, 0.5].map((face) => [{ label: 'dog', samples: range(0, 9), face }]);
    expect(dogs.map((things) => foldThings(objectFold(), things, { last: 20 }).segments.length)).toEqual([1, 1, 0]);
  });

  it('counts objects from min_confidence on', () => {
    const things = [0.3, 0.5, 0.6, 0.9].map((score, i) => ({
      label: `thing ${score}`,
      samples: [0],
      score,
      x: i * 0.25,
    }));
    const labels = (min_confidence: number) =>
      foldThings(objectFold({ min_confidence }), things, { last: 9 }).segments.map(({ label }) => label);
    expect(labels(0)).toHaveLength(4);
    expect(labels(50)).toEqual(['thing 0.5', 'thing 0.6', 'thing 0.9']);
    expect(labels(70)).toEqual(['thing 0.6', 'thing 0.9']);
    expect(labels(99)).toEqual(['thing 0.9']);
    expect(labels(100)).toEqual([]);
  });

  it('continues an object that is temporarily below the threshold, in its place, and begins none with it', () => {
    const sure = { label: 'person', samples: [...range(0, 5), ...range(14, 19)] };
    const leaning = { label: 'person', samples: range(6, 13), score: 0.45 };
    const elsewhere = { ...leaning, x: 0.6 };
    const faint = { ...leaning, score: 0.3 };
    const forLong = { ...leaning, samples: range(6, 39) };
    const spans = (...things: Thing[]) =>
      [7, 40].map((size) => {
        const { segments } = foldThings(objectFold(), things, { last: 39, sizes: [size] });
        return segments.map(({ timeStart, timeEnd, detections, confidence }) => [
          ...[timeStart, timeEnd, detections.length],
          confidence,
        ]);
      });
    const confidence = Number(confidenceOf(0.7).toFixed(4));
    const whole = [[0, 9.52, 12, confidence]];
    const apart = [
      [0, 2.52, 6, confidence],
      [7, 9.52, 6, confidence],
    ];
    expect(spans(sure, leaning)).toEqual([whole, whole]);
    expect(spans(sure, elsewhere)).toEqual([apart, apart]);
    expect(spans(sure, faint)).toEqual([apart, apart]);
    expect(spans(leaning)).toEqual([[], []]);
    // Three seconds beyond the last sure sample, no longer.
    const ended = [[0, 12.52, 12, confidence]];
    expect(spans(sure, forLong)).toEqual([ended, ended]);
  });

  it('gives an object with two names the surer one, and two objects in one place both', () => {
    const rivals = [
      { label: 'bowl', samples: [0], score: 0.6 },
      { label: 'cup', samples: [0], score: 0.7, x: 0.11 },
    ];
    expect(foldThings(objectFold(), rivals, { last: 9 }).segments.map(({ label }) => label)).toEqual(['cup']);
    const twins = [
      { label: 'person', samples: [0] },
      { label: 'person', samples: [0], x: 0.11 },
    ];
    expect(foldThings(objectFold(), twins, { last: 9 }).segments[0]?.detections).toHaveLength(2);
  });

  it('gives the same segments wherever it is cut', () => {
    const thing = fc.record({
      label: fc.constantFrom('car', 'person', 'cup'),
      samples: fc.uniqueArray(fc.nat(79), { maxLength: 40 }).map((samples) => samples.sort((a, b) => a - b)),
      x: fc.constantFrom(0, 0.05, 0.4, 0.8),
      score: fc.constantFrom(0.3, 0.5, 0.55, 0.8),
    });
    // The kept picture depends on the analysis's tracks, which end with their chunk.
    const comparable = (segments: Segment[]) => segments.map(({ thumbnail: _, keyFrame: __, ...rest }) => rest);
    fc.assert(
      fc.property(
        fc.array(thing, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(0.5, 2, 5),
        (things: Thing[], sizes, rate) => {
          const whole = foldThings(objectFold({ min_confidence: 60 }), things, { last: 79, rate, sizes: [80] });
          const cut = foldThings(objectFold({ min_confidence: 60 }), things, { last: 79, rate, sizes });
          expect(comparable(cut.segments)).toEqual(comparable(whole.segments));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps its state small through hours of everything at once', () => {
    const things = [...GERMAN.keys()].map((label, i) => ({ label, samples: range(0, 2_999), x: i / 100 }));
    const { segments, largestState } = foldThings(objectFold({ min_confidence: 0 }), things.slice(0, 40), {
      last: 2_999,
    });
    expect(largestState).toBeLessThan(MAX_STATE_BYTES);
    for (const { detections } of segments) expect(detections.length).toBeLessThanOrEqual(1000);
  });
});

describe('objects on pictures', () => {
  it("give a segment per label, numbered by the picture's index in the job", () => {
    const things = [
      { label: 'person', samples: [0], score: 0.6 },
      { label: 'person', samples: [0], x: 0.5, score: 0.8 },
      { label: 'dog', samples: [0], x: 0.7, score: 0.7 },
    ];
    const fold = objectFold();
    const state = fold.start({ sourceIndex: null, facts: { kind: 'image', format: 'jpeg', width: 10, height: 10 } });
    const picture = unit({ kind: 'image', format: 'jpeg', width: 10, height: 10 }, 7);
    const step = fold.fold(state, { unit: picture, observations: { objects: observe(things, 0, 0) } });
    expect(step.state).toEqual(state);
    expect(
      step.segments.map(({ sourceIndex, frameStart, meta, detections }) => [
        sourceIndex,
        frameStart,
        meta,
        detections.map(({ frame_index }) => frame_index),
      ]),
    ).toEqual([
      [7, 7, { label: 'dog', confidence: Number(confidenceOf(0.7).toFixed(4)) }, [7]],
      [7, 7, { label: 'person', confidence: Number(confidenceOf(0.8).toFixed(4)) }, [7, 7]],
    ]);
  });
});

describe('object labels', () => {
  const things = [
    { label: 'car', samples: range(0, 3) },
    { label: 'truck', samples: range(4, 6) },
    { label: 'own kind', samples: range(0, 3), x: 0.5 },
  ];
  const labels = (args: object, dictionaries?: AppliedDictionaries) =>
    foldThings(objectFold(args, dictionaries), things, { last: 20 }).segments.map(({ label }) => label);

  it('are English or German; those without a German name stay English', () => {
    expect(labels({})).toEqual(['car', 'own kind', 'truck']);
    expect(labels({ language: 1 })).toEqual(['Auto', 'own kind', 'Lastwagen']);
  });

  it('are replaced by maps, and joined where the map makes them equal', () => {
    const { segments } = foldThings(objectFold({}, mapping({ car: 'vehicle', truck: 'vehicle' })), things, {
      last: 20,
    });
    expect(brief(segments)).toEqual([
      ['own kind', 0, 1.52],
      ['vehicle', 0, 3],
    ]);
    expect(segments[1]?.meta['label']).toBe('vehicle');
  });

  it('are dropped when a list does not have them', () => {
    expect(labels({}, mapping({ truck: null }, 'simple'))).toEqual(['truck']);
  });
});

describe('confidence', () => {
  it('grows with the score, from 0 to 1', () => {
    const scores = range(0, 100).map((percent) => confidenceOf(percent / 100));
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    expect(scores[0]).toBeGreaterThan(0);
    expect(scores[100]).toBeLessThan(1);
  });
});
