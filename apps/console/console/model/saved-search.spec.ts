import { describe, expect, it } from '@jest/globals';
import type { SavedSearch } from '@adit/client';
import { addressOfSaved, isNarrower } from './saved-search.js';

const saved = (question: Partial<SavedSearch>): SavedSearch => ({
  ...{ id: 'one', name: 'One', alert: true, link: '', time_created: '', time_updated: '' },
  ...question,
});

describe('a saved search on the page', () => {
  it.each([
    [{ q: 'car' }, '#/search?q=car'],
    [
      { who: 'anna', said: 'budget OR cost', together: 10 },
      '#/search?q=who%3A%28anna%29+said%3A%28budget+OR+cost%29&together=10',
    ],
    [{ q: 'red OR blue', what: 'car', tag: 'Evening' }, '#/search?q=%28red+OR+blue%29+what%3A%28car%29&tag=Evening'],
    [{ job_id: 'j', batch_id: 'b', module: 'm', language: 'de' }, '#/search?module=m&language=de&batch=b&job=j'],
  ])('%j is asked as %s', (question, address) => {
    expect(addressOfSaved(saved(question))).toBe(address);
  });

  it('says where it asks for more than the page shows', () => {
    expect(isNarrower(saved({ q: 'car' }))).toBe(false);
    expect(isNarrower(saved({ q: 'car', when: '2026-11-21' }))).toBe(true);
    expect(isNarrower(saved({ box: '1,2,3,4' }))).toBe(true);
  });
});
