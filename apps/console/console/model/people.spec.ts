import type { IndexedIdentity } from '@adit/client';
import { describe, expect, it } from '@jest/globals';
import { formerNames, peopleAddress, peopleFilterOf, whoQuestion, withNamed } from './people.js';

const person = (id: string, label = '', merged: string[] = []): IndexedIdentity => ({
  ...{ index_id: id, label, collection_name: 'default_index', thumbnail: null, merged },
  ...{ time_created: '', time_updated: '' },
});
const ids = (people: readonly IndexedIdentity[]) => people.map(({ index_id: id }) => id);

describe('people of a face index', () => {
  it('are filtered by the address', () => {
    expect(peopleFilterOf(new URLSearchParams(''))).toEqual({ search: '', named: null });
    const filter = { search: 'a&b', named: false };
    const [path, query] = peopleAddress('News / 1', filter).split('?');
    expect([path, peopleFilterOf(new URLSearchParams(query))]).toEqual(['#/people/News%20%2F%201', filter]);
    expect(peopleAddress('x', { search: '', named: null })).toBe('#/people/x');
  });

  it('one who gets the name of another goes into that one', () => {
    const people = [person('1', 'Anna'), person('2'), person('3')];
    const shown = withNamed(people, ['3'], person('1', 'Anna', ['3']));
    expect([ids(shown), shown[0]?.merged]).toEqual([['1', '2'], ['3']]);
    expect(withNamed(people, ['2'], person('2', 'Bob')).map(({ label }) => label)).toEqual(['Anna', 'Bob', '']);
    // The one who has the name need not be in sight.
    expect(ids(withNamed(people, ['2', '3'], person('9', 'Zoe', ['2', '3'])))).toEqual(['1']);
  });

  it('get back who they were, those that had been merged as well', () => {
    expect(formerNames([person('1', 'Anna', ['4']), person('2')])).toEqual([
      { id: '1', label: 'Anna' },
      { id: '4', label: 'Anna' },
      { id: '2', label: '' },
    ]);
  });

  it('are asked for by a phrase', () => {
    expect(whoQuestion('Anna "Ann" Weber')).toBe('who:"Anna  Ann  Weber"');
    expect(whoQuestion('Anna „Ann“ Weber”')).toBe('who:"Anna  Ann  Weber "');
  });
});
