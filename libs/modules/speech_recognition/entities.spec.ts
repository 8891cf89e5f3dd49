import { describe, expect, it } from '@jest/globals';
import { entitiesOf } from './entities.js';

describe('entitiesOf', () => {
  it('finds people, places and organisations of an English text, in order, each once', () => {
    const text =
      'Ada Lovelace met Charles Babbage in London. Angela Merkel flew to New York. Ada Lovelace, says the BBC, stayed in London.';
    expect(entitiesOf(text, 'en')).toEqual([
      { text: 'Ada Lovelace', type: 'person' },
      { text: 'Charles Babbage', type: 'person' },
      { text: 'London', type: 'place' },
      { text: 'Angela Merkel', type: 'person' },
      { text: 'New York', type: 'place' },
      { text: 'BBC', type: 'organization' },
    ]);
    expect(entitiesOf('It was late, and nobody came.', 'en')).toEqual([]);
  });

  it('finds nothing for unsupported languages', () => {
    expect(entitiesOf('Ada Lovelace war in London.', 'de')).toBeNull();
  });
});
