import { describe, expect, it } from '@jest/globals';
import type { DictionarySpecification } from '@adit/contracts';
import { AppliedDictionaries, indexesKept } from './label-dictionaries.js';
import type { LoadedDictionary } from './dictionary.js';
import { openDictionaries } from './open-dictionaries.js';

const map = (pairs: Record<string, string>, language: LoadedDictionary['language'] = 'any'): LoadedDictionary => ({
  name: 'map',
  type: 'map',
  language,
  entries: Object.entries(pairs).map(([source, target]) => ({ source, target })),
});
const list = (sources: string[], language: LoadedDictionary['language'] = 'any'): LoadedDictionary => ({
  name: 'list',
  type: 'simple',
  language,
  entries: sources.map((source) => ({ source, target: null })),
});
const as = (
  dictionary: LoadedDictionary,
  mode: DictionarySpecification['mode'] = 'exact',
  threshold = 0.8,
): { specification: DictionarySpecification; dictionary: LoadedDictionary } => ({
  specification: { id: '', mode, threshold },
  dictionary,
});
const applied = (...given: ReturnType<typeof as>[]) => new AppliedDictionaries(given);

describe('a map', () => {
  it('replaces the labels it has and leaves the others', () => {
    const dictionaries = applied(as(map({ dog: 'Hund', 'traffic light': 'Ampel' })));
    expect(['Dog', 'traffic  light', 'cat'].map((label) => dictionaries.apply(label))).toEqual([
      'Hund',
      'Ampel',
      'cat',
    ]);
  });

  it('is not asked for what another map gave', () => {
    const dictionaries = applied(as(map({ dog: 'Hund' })), as(map({ Hund: 'Tier', dog: 'Wolf', cat: 'Katze' })));
    expect([dictionaries.apply('dog'), dictionaries.apply('cat'), dictionaries.apply('Hund')]).toEqual([
      'Hund',
      'Katze',
      'Tier',
    ]);
  });

  it('replaces the whole label that contains a source, by the longest', () => {
    const dictionaries = applied(as(map({ sun: 'star', sunday: 'day' }), 'contains'));
    expect([dictionaries.apply('Sunday paper'), dictionaries.apply('The Sun')]).toEqual(['day', 'star']);
  });
});

describe('simple dictionaries', () => {
  it('leave out what none of them lists and write names as they do', () => {
    const dictionaries = applied(as(list(['Angela Merkel']), 'fuzzy'), as(list(['cat'])));
    expect(dictionaries.apply('ANGELA MERKE1')).toBe('Angela Merkel');
    expect(dictionaries.apply('CAT')).toBe('cat');
    expect(dictionaries.apply('Angelx Mxrkxl')).toBeNull();
    expect(dictionaries.selects()).toBe(true);
  });

  it('keep a label that contains an entry as it is', () => {
    expect(applied(as(list(['merkel']), 'contains')).apply('Dr. Angela Merkel')).toBe('Dr. Angela Merkel');
  });

  it('look at a label before and after it was replaced', () => {
    expect(applied(as(map({ dog: 'Hund' })), as(list(['dog']))).apply('dog')).toBe('Hund');
    expect(applied(as(map({ dog: 'Hund' })), as(list(['Hund']))).apply('dog')).toBe('Hund');
    expect(applied(as(map({ dog: 'Hund' })), as(list(['Katze']))).apply('dog')).toBeNull();
  });

  it('leave out no label that is named in passing', () => {
    expect(applied(as(list(['cat'])), as(map({ dog: 'Hund' }))).rename('dog')).toBe('Hund');
  });
});

describe('a language', () => {
  const dictionaries = applied(as(map({ gift: 'Geschenk' }, 'english')), as(map({ gift: 'poison' }, 'german')));

  it('has to be the dictionary’s, by name or code', () => {
    expect(dictionaries.apply('Gift', 'english')).toBe('Geschenk');
    expect(dictionaries.apply('Gift', 'de')).toBe('poison');
    expect(dictionaries.apply('gift', 'french')).toBe('gift');
  });

  it('of a label that has none is every one', () => {
    expect(dictionaries.apply('gift')).toBe('Geschenk');
  });

  it('of a list that does not serve it selects nothing', () => {
    const german = applied(as(list(['Hund'], 'german')));
    expect([german.apply('cat', 'english'), german.selects('english')]).toEqual(['cat', false]);
  });
});

describe('opening', () => {
  it('reads nothing when nothing is named', async () => {
    const readDictionary = () => Promise.reject(new Error('read'));
    const dictionaries = await openDictionaries({ dictionaries: [] }, { readDictionary });
    expect([dictionaries.isEmpty, dictionaries.apply('any')]).toEqual([true, 'any']);
  });
});

describe('indexes', () => {
  it('are kept for some thresholds of a dictionary, and all of a job find what they should', async () => {
    const names = list(['Ada Lovelace', 'Grace Hopper']);
    const thresholds = Array.from({ length: 40 }, (_, at) => 0.5 + at / 100);
    const open = thresholds.map((threshold) =>
      openDictionaries(
        { dictionaries: [as(names, 'fuzzy', threshold).specification] },
        { readDictionary: async () => names },
      ),
    );
    const labels = (await Promise.all(open)).map((dictionaries) => dictionaries.apply('Ada Lovelase'));
    expect(labels).toEqual(thresholds.map(() => 'Ada Lovelace'));
    expect(indexesKept(names)).toBeLessThanOrEqual(16);
  });
});
