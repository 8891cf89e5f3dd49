import type { DetailedResult } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import { nothingFound, resultsTable } from './results-table.js';

async function* results(...overrides: Partial<DetailedResult>[]): AsyncGenerator<DetailedResult> {
  for (const override of overrides) {
    yield {
      media_type: 'video',
      frame_start: 0,
      frame_end: 50,
      time_start: 0,
      time_end: 2,
      tc_start: '00:00:00:00',
      tc_end: '00:00:02:00',
      source: '/films/one.mp4',
      source_name: 'one.mp4',
      module: 'face_recognition',
      meta: { person: 'Anna', similarity: 0.91, mean_similarity: 0.8 },
      detections: [],
      thumbnail: null,
      ...override,
    };
  }
}

describe('resultsTable', () => {
  it('shows who, when and how sure', async () => {
    const table = await resultsTable(results({}), { several: false });
    expect(table.split('\n').at(-1)).toBe('Anna  0.0 s  2.0 s  00:00:00:00  00:00:02:00         80 %');
  });

  it('shows the picture instead of times when there are only pictures', async () => {
    const table = await resultsTable(results({ media_type: 'image', source: '/photos/a.jpg', source_name: 'a.jpg' }), {
      several: true,
    });
    expect(table.split('\n')).toEqual([
      'Picture  Who   Similarity',
      '───────  ────  ──────────',
      'a.jpg    Anna        80 %',
    ]);
  });

  it('shows on which page of a document somebody is, counted from 1', async () => {
    const found = results({ media_type: 'image', frame_start: 2, frame_end: 2 }, { media_type: 'image', frame_end: 3 });
    expect((await resultsTable(found, { several: false, paged: true })).split('\n')).toEqual([
      'Who   Page  Similarity',
      '────  ────  ──────────',
      'Anna   1–4        80 %',
      'Anna     3        80 %',
    ]);
  });

  it('shows last what is said: sentences would push all else off the terminal', async () => {
    const said = 'Thank you for calling. All of our representatives are busy. '.repeat(3).trim();
    const meta = (text: string) => ({ text, speaker: null, language: 'en', confidence: 0.951 });
    const spoken = {
      media_type: 'audio',
      module: 'speech_recognition',
      source: '/calls/one.wav',
      source_name: 'one.wav',
    } as const;
    const found = results({ ...spoken, meta: meta(said) }, { ...spoken, meta: meta('Yes.') });
    expect((await resultsTable(found, { several: true })).split('\n')).toEqual([
      'Recording   From     To  Timecode in  Timecode out  Confidence  What is said',
      `─────────  ─────  ─────  ───────────  ────────────  ──────────  ${'─'.repeat(60)}`,
      `one.wav    0.0 s  2.0 s  00:00:00:00  00:00:02:00         95 %  ${said}`,
      'one.wav    0.0 s  2.0 s  00:00:00:00  00:00:02:00         95 %  Yes.',
    ]);
  });

  it('rows are in the order of sources and time, with the kind of each where several are found', async () => {
    const found = results(
      { source: '/films/two.mp4', source_name: 'two.mp4', time_start: 1 },
      { time_start: 30, time_end: 31, module: 'object_recognition', meta: { label: 'person', mean_confidence: 0.7 } },
      { time_start: 4, time_end: 9, module: 'lower_third_recognition', meta: { label: 'Anna Weber' } },
      { time_start: 2, time_end: 9 },
    );
    const table = await resultsTable(found, { several: true }, 3);
    expect(table.split('\n').map((line) => line.replace(/ {2,}/g, '|').split('|').slice(0, 4))).toEqual([
      ['Film', 'Who or what', 'Kind', 'From'],
      [expect.anything(), expect.anything(), expect.anything(), expect.anything()],
      ['one.mp4', 'Anna', 'face', '2.0 s'],
      ['one.mp4', 'Anna Weber', 'caption', '4.0 s'],
      ['one.mp4', 'person', 'object', '30.0 s'],
      ['… and 1 more in results.json'],
    ]);
    // Also where far more are found than are shown, the first of them last.
    const many = Array.from({ length: 500 }, (_, at) => ({ time_start: 500 - at }));
    expect((await resultsTable(results(...many), { several: false }, 2)).split('\n').slice(2)).toMatchObject([
      expect.stringMatching(/^Anna +1\.0 s/),
      expect.stringMatching(/^Anna +2\.0 s/),
      '… and 498 more in results.json',
    ]);
  });

  it('names landmarks', async () => {
    const meta = { landmark: { name: 'Old Bridge', latitude: null }, confidence: 0.83 };
    const table = await resultsTable(results({ module: 'landmark_recognition', meta }), { several: false });
    expect(table.split('\n').at(-1)).toMatch(/^Old Bridge .* 83 %$/);
  });

  it('claims no similarity for the unknown', async () => {
    const meta = { person: 'unknown', closest_person: 'Anna', similarity: 0.2, mean_similarity: 0.2 };
    expect(await resultsTable(results({ meta }), { several: false })).not.toContain('20 %');
  });

  it('ends a long table with how many are left', async () => {
    const table = await resultsTable(results({}, {}, {}), { several: false }, 2);
    expect(table).toContain('… and 1 more in results.json');
  });

  it('says so when nothing was found', async () => {
    expect(await resultsTable(results(), { several: false })).toBe('Nothing was found.');
  });

  it('says below which confidence nothing is shown, and how to ask for less', () => {
    expect(nothingFound({ face_recognition: { max_distance: 1 } })).toBe('Nothing was found.');
    expect(nothingFound({ object_scene_recognition: { min_confidence: 0 } })).toBe('Nothing was found.');
    expect(nothingFound({ face_recognition: {}, object_scene_recognition: { min_confidence: 70 } })).toBe(
      'Nothing was found. object_scene_recognition leaves out what it is less than 70 % sure of: --set min_confidence=35 shows more.',
    );
  });
});
