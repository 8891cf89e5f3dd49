import { describe, expect, it } from '@jest/globals';
import { mistakeIn, queryOf, questionOf, searchAddress } from './question.js';

const none = { q: '', module: '', language: '', tag: '', batch: '', job: '', together: null };

describe('a question', () => {
  it.each([
    ['', none],
    ['q=who%3Aanna+said%3A%22a+b%22&together=10', { ...none, q: 'who:anna said:"a b"', together: 10 }],
    ['tag=Evening&together=x', { ...none, tag: 'Evening' }],
    ['together=-1&language=de', { ...none, language: 'de' }],
  ])('is read from %s', (text, question) => {
    expect(questionOf(new URLSearchParams(text))).toEqual(question);
  });

  it('an address that is written is the one that is read', () => {
    const question = { ...none, q: 'a & "b" #ü', module: 'speech_recognition', batch: '7', together: 0 };
    const [path, query] = searchAddress(question).split('?');
    expect([path, questionOf(new URLSearchParams(query))]).toEqual(['#/search', question]);
    expect(searchAddress(none)).toBe('#/search');
  });

  it('asks the service for what was given alone', () => {
    expect(queryOf({ ...none, q: 'car', job: '1', together: 0 })).toEqual({ q: 'car', job_id: '1', together: 0 });
    expect(queryOf(none)).toEqual({});
  });

  it('a mistake is shown at its place; other errors have none', () => {
    const message = '?q, character 6: the quotation mark is never closed.';
    expect(mistakeIn([{ pointer: '?q', code: 'open_phrase', message }])).toEqual({
      ...{ at: 5, code: 'open_phrase', reason: 'the quotation mark is never closed.' },
    });
    expect(mistakeIn([{ pointer: '?job_id', code: 'invalid', message: '?job_id: expected an id' }])).toBeNull();
    expect(mistakeIn([])).toBeNull();
  });
});
