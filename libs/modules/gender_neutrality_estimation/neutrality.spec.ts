import { describe, expect, it } from '@jest/globals';
import type { Segment } from '@adit/module-kit';
import fc from 'fast-check';
import { chunk, CONTEXT, frameOf, observe, range, unit } from '../face_recognition/testing/scenes.js';
import type { Actor } from '../face_recognition/testing/scenes.js';
import { loadModules } from '../index.js';
import { labelOf } from './neutrality.js';

const definition = (await loadModules()).get('gender_neutrality_estimation');
const fold = await definition.open(definition.args.parse({}), {
  models: [],
  readModelFile: () => Promise.reject(new Error('it has no models')),
  readDictionary: () => Promise.reject(new Error('it has no dictionaries')),
});
const woman = { female: 0.9, age: 34 };
const man = { female: 0.2, age: 52 };

function film(actors: Actor[], last = 60): Segment[] {
  const { state } = fold.fold(
    fold.start(CONTEXT),
    { unit: chunk(0, last), observations: { faces: observe(actors, 0, last, 2) } },
    CONTEXT,
  );
  return fold.close(state, CONTEXT).segments;
}

describe('gender neutrality', () => {
  it.each([
    [0, 'Male Dominant'],
    [0.39, 'Male Dominant'],
    [0.4, 'Gender Neutral'],
    [0.6, 'Gender Neutral'],
    [0.61, 'Female Dominant'],
    [1, 'Female Dominant'],
  ])('of a female share of %d is %s', (share, label) => {
    expect(labelOf(share)).toBe(label);
  });

  it('is one result for a film, over all of it', () => {
    const segments = film([
      { person: 1, samples: range(10, 29), ...woman },
      { person: 2, samples: range(10, 19), x: 0.5, ...man },
    ]);
    expect(segments).toMatchObject([
      {
        sourceIndex: 3,
        frameStart: 0,
        timeStart: 0,
        timeEnd: 30,
        label: 'Female Dominant',
        meta: { label: 'Female Dominant' },
      },
    ]);
    expect(Object.keys(segments[0]!.meta)).toEqual(['label']);
    expect(segments[0]?.keyFrame?.picture.key).toMatch(/^pictures/);
    // Not of a particular person: the whole frame.
    expect(segments[0]?.thumbnail).toEqual(segments[0]?.keyFrame?.picture);
  });

  it('weighs by time on screen, not by number of people', () => {
    const [label] = film([
      { person: 1, samples: range(0, 39), ...woman },
      { person: 2, samples: range(0, 9), x: 0.4, ...man },
      { person: 3, samples: range(0, 9), x: 0.7, ...man },
    ]);
    expect(label?.label).toBe('Female Dominant');
  });

  it('has no result without faces', () => {
    expect(film([])).toEqual([]);
    expect(film([{ person: 1, samples: range(0, 9), views: 0 }])).toEqual([]);
  });

  it('of a picture follows its faces', () => {
    const image = { kind: 'image', format: 'jpeg', width: 10, height: 10 } as const;
    const faces = observe(
      [
        { person: 1, samples: [0], ...woman },
        { person: 2, samples: [0], x: 0.5, ...man },
      ],
      0,
      0,
      1,
    );
    const step = fold.fold(fold.start(CONTEXT), { unit: unit(image, 7), observations: { faces } }, CONTEXT);
    expect(step.segments).toMatchObject([{ sourceIndex: 7, frameStart: 7, frameEnd: 7, label: 'Gender Neutral' }]);
    expect(fold.close(step.state, CONTEXT)).toEqual({ segments: [], summaries: [] });
  });

  it('of a document is one, over all of its pages', () => {
    const image = { kind: 'image', format: 'pdf', width: 10, height: 10 } as const;
    const page = (number: number, ...actors: Actor[]) => ({
      unit: { ...unit(image), kind: 'image' as const, page: number },
      observations: { faces: observe(actors, 0, 0, 1) },
    });
    let state = fold.start(CONTEXT);
    const pages = [
      page(2, { person: 1, samples: [0], ...woman }),
      page(3),
      page(4, { person: 1, samples: [0], ...woman }),
    ];
    for (const each of pages) {
      const step = fold.fold(JSON.parse(JSON.stringify(state)) as typeof state, each, CONTEXT);
      expect(step.segments).toEqual([]);
      state = step.state;
    }
    expect(fold.close(state, CONTEXT).segments).toMatchObject([
      { sourceIndex: 3, frameStart: 2, frameEnd: 4, timeStart: 0, timeEnd: 0, label: 'Female Dominant' },
    ]);
    const blank = fold.fold(fold.start(CONTEXT), page(0), CONTEXT);
    expect(fold.close(blank.state, CONTEXT)).toEqual({ segments: [], summaries: [] });
  });

  it('is surer the farther the share is from a border', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (women, men) => {
        const [segment] = film([
          { person: 1, samples: range(0, women), ...woman },
          { person: 2, samples: range(0, men), x: 0.5, ...man },
        ]);
        // Two samples per second of a film of 25 frames: each counts until the next, 12 or 13 frames on.
        const [hers, his] = [frameOf(women + 1, 2), frameOf(men + 1, 2)];
        const share = hers / (hers + his);
        expect(segment?.label).toBe(labelOf(share));
        expect(segment?.confidence).toBeGreaterThanOrEqual(0);
        expect(segment?.confidence).toBeLessThanOrEqual(1);
      }),
      { numRuns: 20, examples: [[20, 13]] },
    );
  });
});
