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

describe('a mapping dictionary', () => {
  it('replaces its labels and leaves others unchanged', () => {
    const dictionaries = applied(as(map({ dog: 'Hund', 'traffic light': 'Ampel' })));
    expect(['Dog', 'traffic  light', 'cat'].map((label) => dictionaries.apply(label))).toEqual([
      'Hund',
      'Ampel',
      'cat',
    ]);
  });

  it('does not apply to the result of another map', () => {
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
  it('drop labels that none of them lists and correct spellings', () => {
    const dictionaries = applied(as(list(['Angela Merkel']), 'fuzzy'), as(list(['cat'])));
    expect(dictionaries.apply('ANGELA MERKE1')).toBe('Angela Merkel');
    expect(dictionaries.apply('CAT')).toBe('cat');
    expect(dictionaries.apply('Angelx Mxrkxl')).toBeNull();
    expect(dictionaries.selects()).toBe(true);
  });

  it('keep a label that contains an entry unchanged', () => {
    expect(applied(as(list(['merkel']), 'contains')).apply('Dr. Angela Merkel')).toBe('Dr. Angela Merkel');
  });

  it('match a label before and after its replacement', () => {
    expect(applied(as(map({ dog: 'Hund' })), as(list(['dog']))).apply('dog')).toBe('Hund');
    expect(applied(as(map({ dog: 'Hund' })), as(list(['Hund']))).apply('dog')).toBe('Hund');
    expect(applied(as(map({ dog: 'Hund' })), as(list(['Katze']))).apply('dog')).toBeNull();
  });

  it('never drop labels of secondary fields', () => {
    expect(applied(as(list(['cat'])), as(map({ dog: 'Hund' }))).rename('dog')).toBe('Hund');
  });
});

describe('the language of a dictionary', () => {
  const dictionaries = applied(as(map({ gift: 'Geschenk' }, 'english')), as(map({ gift: 'poison' }, 'german')));

  it("has to match the label's, by name or code", () => {
    expect(dictionaries.apply('Gift', 'english')).toBe('Geschenk');
    expect(dictionaries.apply('Gift', 'de')).toBe('poison');
    expect(dictionaries.apply('gift', 'french')).toBe('gift');
  });

  it('is ignored for labels without a language', () => {
    expect(dictionaries.apply('gift')).toBe('Geschenk');
  });

  it("restricts a list's selection to that language", () => {
    const german = applied(as(list(['Hund'], 'german')));
    expect([german.apply('cat', 'english'), german.selects('english')]).toEqual(['cat', false]);
  });
});

describe('opening dictionaries', () => {
  it('reads nothing when none is named', async () => {
    const readDictionary = () => Promise.reject(new Error('read'));
    const dictionaries = await openDictionaries({ dictionaries: [] }, { readDictionary });
    expect([dictionaries.isEmpty, dictionaries.apply('any')]).toEqual([true, 'any']);
  });
});

describe('dictionary indexes', () => {
  it('are cached for some thresholds, and all of a job find their entries', async () => {
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
