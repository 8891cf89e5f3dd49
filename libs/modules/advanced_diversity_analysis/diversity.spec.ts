import { describe, expect, it } from '@jest/globals';
import type { Json } from '@adit/contracts';
import { AppliedDictionaries, NO_DICTIONARIES } from '@adit/dictionaries';
import { sealState, unsealState } from '@adit/module-kit';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { Summary } from '@adit/module-kit';
import { Matcher } from '../galleries/match.js';
import { chunk, CONTEXT, galleryOf, observe, range, unit } from '../face_recognition/testing/scenes.js';
import type { Actor } from '../face_recognition/testing/scenes.js';
import { adoptPeople, PeopleFold } from '../people/people-fold.js';
import type { PeopleState } from '../people/people-fold.js';
import { Diversity } from './diversity.js';

const [ANN, BOB, EVE] = [1, 2, 3];
const TEAM = galleryOf('team', { Ann: ANN, Bob: BOB });
const ACTORS: Actor[] = [
  { person: EVE, samples: range(0, 19), female: 0.8, age: 25 },
  { person: ANN, samples: [...range(0, 39), ...range(60, 79)], x: 0.4, female: 0.95, age: 61 },
  { person: BOB, samples: range(50, 79), x: 0.7, female: 0.1, age: 17.9 },
];

function foldOf(dictionaries: LabelDictionaries = NO_DICTIONARIES): PeopleFold {
  const matcher = new Matcher([TEAM]);
  return new PeopleFold(new Diversity(matcher.persons, dictionaries), matcher);
}

function summariesOf(fold: PeopleFold, actors = ACTORS): Summary[] {
  const { state } = fold.fold(fold.start(CONTEXT), {
    unit: chunk(0, 99),
    observations: { faces: observe(actors, 0, 99, 2) },
  });
  const { segments, summaries } = fold.close(state);
  expect(segments).toEqual([]);
  return summaries;
}

/** At 25 frames per second samples lie .48 and .52 s apart; on average .5 s. */
const rounded = (meta: Record<string, number>) =>
  Object.fromEntries(Object.entries(meta).map(([key, value]) => [key, Math.round(value * 2) / 2]));

describe('the summary of a film', () => {
  it('follows the interface', () => {
    const [genders, ages, people, genderTime, ageTime, ...none] = summariesOf(foldOf());
    expect(none).toEqual([]);
    expect(genders).toEqual({ type: 'gender_count', meta: { female: 2, male: 1 } });
    expect(ages).toEqual({
      type: 'age_count',
      meta: { '0-17': 1, '18-29': 1, '30-44': 0, '45-59': 0, '60-120': 1 },
    });
    expect(people?.type).toBe('person_screen_time');
    expect(rounded(people!.meta)).toEqual({ Ann: 30, Bob: 15 });
    expect(people?.groups?.map(({ value }) => Math.round(value))).toEqual([10]);
    expect(people?.groups?.[0]?.claim).toMatchObject({ collection: 'unknowns', maxDistance: 1 });
    expect([genderTime?.type, rounded(genderTime!.meta)]).toEqual(['gender_screen_time', { female: 40, male: 15 }]);
    expect([ageTime?.type, rounded(ageTime!.meta)]).toEqual([
      'age_screen_time',
      { '0-17': 15, '18-29': 10, '30-44': 0, '45-59': 0, '60-120': 30 },
    ]);
  });

  it('is empty without faces', () => {
    expect(summariesOf(foldOf(), [])).toEqual([]);
  });

  it('names people by the dictionaries, and still counts everybody', () => {
    const given = (type: 'map' | 'simple', entries: { source: string; target: string | null }[]) =>
      new AppliedDictionaries([
        {
          specification: { id: '', mode: 'exact', threshold: 0.8 },
          dictionary: { name: type, type, language: 'any', entries },
        },
      ]);
    const renamed = summariesOf(
      foldOf(
        given('map', [
          { source: 'Ann', target: 'Team' },
          { source: 'Bob', target: 'Team' },
        ]),
      ),
    );
    expect(rounded(renamed[2]!.meta)).toEqual({ Team: 45 });
    const listed = summariesOf(foldOf(given('simple', [{ source: 'bob', target: null }])));
    expect([rounded(listed[2]!.meta), listed[2]?.groups]).toEqual([{ bob: 15 }, undefined]);
    expect(listed[0]?.meta).toEqual({ female: 2, male: 1 });
  });
});

describe('the summaries of pictures', () => {
  const image = { kind: 'image', format: 'jpeg', width: 10, height: 10 } as const;
  const fold = foldOf();
  const facesOf = (...actors: Actor[]) =>
    observe(
      actors.map((actor) => ({ ...actor, samples: [0] })),
      ...([0, 0, 1] as const),
    );

  function folded(state: PeopleState, source: number, faces: unknown) {
    return fold.fold(state, { unit: unit(image, source), observations: { faces } });
  }

  it('are counts, per picture with faces, and emitted with it', () => {
    let state = fold.start(CONTEXT);
    const summaries: Summary[] = [];
    for (const [source, actors] of [[ACTORS[0]!, ACTORS[1]!], [], [ACTORS[0]!]].entries()) {
      const step = folded(state, source, facesOf(...actors));
      state = step.state;
      summaries.push(...(step.summaries ?? []));
    }
    expect(fold.close(state).summaries).toEqual([]);
    expect(summaries.map(({ type, sourceIndex, meta }) => [type, sourceIndex, Object.values(meta).join()])).toEqual([
      ['gender_count', 0, '2,0'],
      ['age_count', 0, '0,1,0,0,1'],
      ['gender_count', 2, '1,0'],
      ['age_count', 2, '0,1,0,0,0'],
    ]);
  });

  /** @hardening scale: The state of a module grows with the pictures of a job */
  it('take no more state for ten thousand pictures with faces than for one', () => {
    const owner = { id: 'advanced_diversity_analysis', version: 1 };
    const faces = facesOf(ACTORS[0]!);
    let { state } = folded(fold.start(CONTEXT), 0, faces);
    const one = sealState(owner, state).length;
    let count = 0;
    for (let source = 1; source < 10_000; source += 1) {
      const step = folded(state, source, faces);
      state = step.state;
      count += step.summaries?.length ?? 0;
    }
    expect(sealState(owner, state)).toHaveLength(one);
    expect(count).toBe(2 * 9_999);
  });

  it.each([1, 2])('kept by version %d for the end are emitted with the next picture', (version) => {
    const people = {
      gender: { female: 1, male: 0 },
      age: { '0-17': 0, '18-29': 1, '30-44': 0, '45-59': 0, '60-120': 0 },
    };
    const [id, started] = ['advanced_diversity_analysis', fold.start(CONTEXT)];
    const unsealed = (stored: Json) =>
      unsealState({ id, version: 3, adopt: adoptPeople }, sealState({ id, version }, stored));
    // A film is folded anew.
    expect(unsealed({ ...started, first: { frame: 0, time: 0, sample: 0 } })).toBeNull();
    const kept = unsealed({ ...started, pictures: [{ source: 4, people }] }) as PeopleState;
    const step = folded(kept, 5, facesOf());
    expect(step.summaries?.map(({ sourceIndex }) => sourceIndex)).toEqual([4, 4]);
    expect(step.state.pictures).toEqual([]);
    expect(fold.close(kept).summaries).toHaveLength(2);
  });
});
