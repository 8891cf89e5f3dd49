import { describe, expect, it } from '@jest/globals';
import type { DictionarySpecification } from '@adit/contracts';
import { AppliedDictionaries } from '@adit/dictionaries';
import type { LabelDictionaries, LoadedDictionary } from '@adit/dictionaries';
import { Diversity } from './advanced_diversity_analysis/diversity.js';
import { FaceRecognitionArguments } from './face_recognition/args.js';
import { FaceFold } from './face_recognition/fold.js';
import { CONTEXT, foldFilm, galleryOf, observe, range, unit } from './face_recognition/testing/scenes.js';
import { Matcher } from './galleries/match.js';
import { foldShots, landmarkFold } from './landmark_recognition/testing/scenes.js';
import { LowerThirdFold } from './lower_third_recognition/fold.js';
import { foldCaptions } from './lower_third_recognition/testing/captions.js';
import { nameFinder } from './lower_third_recognition/names/find-name.js';
import { foldThings, objectFold } from './object_scene_recognition/testing/scenes.js';
import { PeopleFold } from './people/people-fold.js';

const samples = range(0, 20);
const matcher = new Matcher([galleryOf('team', { 'Anna Weber': 1 })]);
const find = nameFinder({ own: [], secondary: [], single: false, generic: null });

/** Results per module with labels: the label of a film that shows one thing, and its language. */
const MODULES: Record<string, { shown: string; language?: string; labels(given: LabelDictionaries): string[] }> = {
  face_recognition: {
    shown: 'Anna Weber',
    labels: (given) =>
      foldFilm(new FaceFold(FaceRecognitionArguments.parse({}), matcher, given), [{ person: 1, samples }], {
        last: 40,
      }).segments.map(({ meta }) => String(meta['person'])),
  },
  advanced_diversity_analysis: {
    shown: 'Anna Weber',
    labels: (given) => {
      const fold = new PeopleFold(new Diversity(matcher.persons, given), matcher);
      const faces = observe([{ person: 1, samples, female: 0.9, age: 30 }], 0, 40, 2);
      const { state } = fold.fold(fold.start(CONTEXT), { unit: unit(), observations: { faces } });
      const people = fold.close(state).summaries.find(({ type }) => type === 'person_screen_time');
      return Object.keys(people?.meta ?? {});
    },
  },
  object_scene_recognition: {
    shown: 'bicycle',
    language: 'english',
    labels: (given) =>
      foldThings(objectFold({}, given), [{ label: 'bicycle', samples }], { last: 40 }).segments.map(({ meta }) =>
        String(meta['label']),
      ),
  },
  landmark_recognition: {
    shown: 'Castle',
    labels: (given) =>
      foldShots(landmarkFold(0.75, given), [{ place: 'Castle', samples }], { last: 40 }).map(({ meta }) =>
        String((meta['landmark'] as { name: string }).name),
      ),
  },
  lower_third_recognition: {
    shown: 'Ada Lovelace',
    labels: (given) =>
      foldCaptions(new LowerThirdFold(find, ANY_FACE, given), [{ text: 'Ada Lovelace', from: 0, to: 20 }]).map(
        ({ meta }) => String(meta['label']),
      ),
  },
};

const ANY_FACE = { minSize: 1, minSharpness: 0, only: false, teaches: false };

function given(
  mode: DictionarySpecification['mode'],
  entries: Record<string, string | null>,
  language: LoadedDictionary['language'] = 'any',
): LabelDictionaries {
  const type = Object.values(entries).includes(null) ? 'simple' : 'map';
  const dictionary: LoadedDictionary = {
    name: 'given',
    type,
    language,
    entries: Object.entries(entries).map(([source, target]) => ({ source, target })),
  };
  return new AppliedDictionaries([{ specification: { id: '1', mode, threshold: 0.8 }, dictionary }]);
}

describe.each(Object.entries(MODULES))('dictionaries of %s', (_, { shown, language, labels }) => {
  const misspelt = shown.replace('e', 'o');
  const part = shown.slice(-3);

  it.each([
    ['exact', shown.toUpperCase(), misspelt],
    ['fuzzy', misspelt, 'something else'],
    ['contains', part, `${part}!`],
  ] as const)('replace its label by a map that has it, %s', (mode, source, other) => {
    expect(labels(given(mode, { [source]: 'Replaced' }))).toEqual(['Replaced']);
    expect(labels(given(mode, { [other]: 'Replaced' }))).toEqual([shown]);
  });

  it.each([
    ['exact', shown, shown],
    ['fuzzy', misspelt, misspelt],
    ['contains', part, shown],
  ] as const)('select the labels of a list, %s, and no others', (mode, source, written) => {
    expect(labels(given(mode, { [source]: null }))).toEqual([written]);
    expect(labels(given(mode, { 'something else': null }))).toEqual([]);
  });

  it('apply in its language and in any', () => {
    const map = { [shown]: 'Replaced' };
    expect(labels(given('exact', map, 'english'))).toEqual(['Replaced']);
    // Names have no language, so every dictionary applies.
    expect(labels(given('exact', map, 'german'))).toEqual([language === undefined ? 'Replaced' : shown]);
  });
});
