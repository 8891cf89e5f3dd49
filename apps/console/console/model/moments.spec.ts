import type { SearchResult } from '@adit/client';
import { describe, expect, it } from '@jest/globals';
import { bySource, keyOf, partsOf } from './moments.js';

function result(job: string, time: number, more: Partial<SearchResult> = {}): SearchResult {
  return {
    ...{
      job_id: job,
      number: time,
      transcript: null,
      link: '',
      source: 'a.mp4',
      source_name: 'a.mp4',
      source_index: 0,
    },
    ...{ media_type: 'video', module: 'speech_recognition', type: 'speech', language: 'en', frame_start: 0 },
    ...{
      frame_end: 0,
      time_start: time,
      time_end: time + 1,
      tc_start: '',
      tc_end: '',
      exact: true,
      matches: [],
      likeness: null,
    },
    ...{ thumbnail: null, tag: '', batch_id: null, time_created: '', ...more },
  };
}

describe('moments', () => {
  it('are by source, the best source first, and in order of time', () => {
    const groups = bySource([result('b', 9), result('a', 3), result('b', 2), result('b', 1, { source_index: 1 })]);
    expect(
      groups.map(({ jobId, sourceIndex, moments }) => [jobId, sourceIndex, moments.map((m) => m.time_start)]),
    ).toEqual([
      ['b', 0, [2, 9]],
      ['a', 0, [3]],
      ['b', 1, [1]],
    ]);
  });

  it('of segments and paragraphs have names of their own', () => {
    const paragraph = { transcript_id: 't', variant_id: 'v', version: 1, paragraph_id: 'p' };
    expect(keyOf(result('a', 7))).toBe('a 7');
    expect(keyOf(result('a', 7, { number: null, transcript: paragraph }))).toBe('a v p');
  });

  it('show the words that were asked for', () => {
    const words = [
      { start: 4, end: 10 },
      { start: 11, end: 17 },
    ];
    expect(partsOf({ text: 'the annual budget', words })).toEqual([
      { text: 'the ', isAsked: false },
      { text: 'annual', isAsked: true },
      { text: ' ', isAsked: false },
      { text: 'budget', isAsked: true },
    ]);
    expect(partsOf({ text: 'no', words: [] })).toEqual([{ text: 'no', isAsked: false }]);
    expect(partsOf({ text: '', words: [] })).toEqual([]);
  });
});
