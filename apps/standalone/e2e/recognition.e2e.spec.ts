/** @needs ffmpeg, weights, build */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArtifactPage, DECODER_VERSION, Dictionary, SummarizedResultPage, type DetailedResult } from '@adit/contracts';
import { buildVersion } from '@adit/runtime';
import { sampleMedia } from '@adit/testing';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { MAN_TWICE, manTwice, mediaRoots } from './films.js';
import { LOCAL_WEB, inferenceRequests } from './inference-requests.js';
import { photoSearches } from './photo-searches.js';

const { faces } = sampleMedia();
let engine: EngineUnderTest;
let film: string;
/** Results of the film while nobody is known. */
let unnamed: DetailedResult[];

const ask = async (args: Record<string, unknown>): Promise<DetailedResult[]> => {
  const { id } = await engine.api.mine({ sources: [film], modules: { face_recognition: args } });
  return engine.api.segments(id);
};
const people = (segments: DetailedResult[]): unknown[] => segments.map(({ meta }) => meta['person']);
/** Numbers of decoded chunks and of model runs. */
const work = async (): Promise<number[]> => [
  await engine.api.metric('adit_decode_seconds_count'),
  await engine.api.metric('adit_model_run_seconds_count'),
];

beforeAll(async () => {
  film = await manTwice();
  engine = await EngineUnderTest.start({
    localRoots: [...(await mediaRoots()), dirname(faces['audrey']!)],
    env: LOCAL_WEB,
  });
  unnamed = await ask({});
});
afterAll(() => engine?.close());

describe('people that nobody knows', () => {
  it('are told apart and keep their name through the job', async () => {
    const [first, second, other] = people(await ask({ cluster_unknowns: true }));
    expect([first, second, other]).toEqual(['Unknown #1', 'Unknown #1', 'Unknown #2']);
  });

  it('keep it over several sources', async () => {
    const sources = [faces['franck_02221']!, faces['audrey']!, faces['franck_04000']!];
    const { id, result } = await engine.api.mine({
      sources,
      modules: { face_recognition: { cluster_unknowns: true } },
    });
    expect(people(await engine.api.segments(id))).toEqual(['Unknown #1', 'Unknown #2', 'Unknown #1']);
    expect(result.summary.map(({ items }) => items.map(({ label }) => label))).toEqual([
      ['Unknown #1'],
      ['Unknown #2'],
      ['Unknown #1'],
    ]);
  });

  it('of pictures are counted picture by picture', async () => {
    const sources = [faces['franck_02221']!, faces['audrey']!];
    const modules = { gender_neutrality_estimation: {}, advanced_diversity_analysis: {} };
    const { id } = await engine.api.mine({ sources, modules });
    expect((await engine.api.segments(id)).map(({ frame_start, meta }) => [frame_start, meta['label']])).toEqual([
      [0, 'Male Dominant'],
      [1, 'Female Dominant'],
    ]);
    const { data } = await engine.api.call(
      SummarizedResultPage,
      'GET',
      `/jobs/${id}/summarized-results/?type=gender_count`,
    );
    expect(data.map(({ source, meta }) => [source, meta])).toEqual([
      [sources[0], { female: 0, male: 1 }],
      [sources[1], { female: 1, male: 0 }],
    ]);
  });
});

describe('a gallery made of photos while the engine runs', () => {
  let before: number[];
  beforeAll(async () => {
    const folder = join(engine.folder, 'people');
    for (const [person, photos] of Object.entries({ Franck: ['franck_02221', 'franck_04000'], Audrey: ['audrey'] })) {
      await mkdir(join(folder, person), { recursive: true });
      for (const photo of photos) await cp(faces[photo]!, join(folder, person, `${photo}.jpg`));
    }
    before = await work();
    expect(people(unnamed)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(await engine.cli('gallery', 'build', folder, '--name', 'team')).toContain('2 people from 3 of 3 photos');
    await installed('team');
  });

  it('names the man wherever he is, and nobody else', async () => {
    const segments = await ask({ model: 'team' });
    expect(people(segments)).toEqual(['Franck', 'Franck', 'unknown']);
    const [first, second, other] = segments;
    for (const { meta } of [first!, second!]) {
      expect(meta['class_id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(meta['distance']).toBeLessThan(0.8);
      expect(meta['similarity']).toBeGreaterThan(0.6);
      expect(meta).not.toHaveProperty('closest_person');
    }
    expect(second!.meta['class_id']).toBe(first!.meta['class_id']);
    expect(other!.meta).toMatchObject({ class_id: null, closest_person: expect.stringMatching(/Franck|Audrey/) });
    expect(first!.frame_end).toBeLessThanOrEqual(MAN_TWICE.first[1]);
  });

  it('is asked about a film that was mined without decoding or inferring anything again', async () => {
    expect(before.every((count) => count > 0)).toBe(true);
    const seen = (segments: DetailedResult[]) =>
      segments.map(({ detections, thumbnail }) => ({ detections, thumbnail }));
    expect(seen(await ask({ model: 'team' }))).toEqual(seen(unnamed));
    const strict = await ask({ model: 'team', max_distance: 0.01 });
    expect(strict.map(({ meta }) => [meta['person'], meta['closest_person']]).slice(0, 2)).toEqual([
      ['unknown', 'Franck'],
      ['unknown', 'Franck'],
    ]);
    const topped = await ask({ model: 'team', enable_top_k: true, top_k: 2 });
    for (const { meta } of topped) expect(meta['top_k']).toHaveLength(2);
    expect(await work()).toEqual(before);
  });

  describe('with dictionaries', () => {
    const upload = async (text: string, type: string, name: string): Promise<Dictionary> => {
      const form = new FormData();
      form.append('file', new Blob([text], { type }), name);
      return engine.api.call(Dictionary, 'POST', '/dictionaries/', form);
    };

    it('has other names for a mined film, without decoding or inferring anything again', async () => {
      const map = await upload('source,target\nfrank,Monsieur\n', 'text/csv', 'names.csv');
      const named = async (dictionaries: unknown[]) => people(await ask({ model: 'team', dictionaries }));
      expect(await named([{ id: map.id }])).toEqual(['Franck', 'Franck', 'unknown']);
      expect(await named([{ id: map.id, mode: 'fuzzy' }])).toEqual(['Monsieur', 'Monsieur', 'unknown']);
      const list = await upload('Franck\n', 'text/plain', 'wanted.txt');
      expect(await named([{ id: list.id }, { id: map.id, mode: 'fuzzy' }])).toEqual(['Monsieur', 'Monsieur']);
      expect(await work()).toEqual(before);
    });

    it('keeps them as they were when the job was posted, and in its summary', async () => {
      const map = await upload('source,target\nFranck,Monsieur\n', 'text/csv', 'names.csv');
      const modules = { face_recognition: { model: 'team', dictionaries: [{ id: map.id }] } };
      const job = await engine.api.post({ sources: [film], modules });
      const form = new FormData();
      form.append('file', new Blob(['source,target\nFranck,Somebody\n'], { type: 'text/csv' }), 'names.csv');
      await engine.api.call(Dictionary, 'PATCH', `/dictionaries/${map.id}/`, form);
      const { result } = await engine.api.ended(job.id);
      expect(result.summary[0]?.items.map(({ label }) => label)).toEqual(['Monsieur', 'unknown']);
      expect(people(await ask({ model: 'team', dictionaries: [{ id: map.id }] }))[0]).toBe('Somebody');
    });
  });

  describe('and other questions about its faces', () => {
    it('are answered without decoding or inferring anything again, word for word as the interface has them', async () => {
      const modules = { gender_neutrality_estimation: {}, advanced_diversity_analysis: { model: 'team' } };
      const { id } = await engine.api.mine({ sources: [film], modules });
      const segments = await engine.api.segments(id);
      expect(segments).toMatchObject([
        { module: 'gender_neutrality_estimation', meta: { label: 'Male Dominant' }, frame_start: 0, time_start: 0 },
      ]);
      expect(Object.keys(segments[0]!.meta)).toEqual(['label']);
      const { data } = await engine.api.call(SummarizedResultPage, 'GET', `/jobs/${id}/summarized-results/?limit=100`);
      const summaries = Object.fromEntries(data.map(({ type, meta }) => [type, meta]));
      expect(data.every(({ module, source }) => module === 'advanced_diversity_analysis' && source === film)).toBe(
        true,
      );
      expect(Object.keys(summaries)).toEqual([
        'gender_count',
        'age_count',
        'person_screen_time',
        'gender_screen_time',
        'age_screen_time',
      ]);
      expect(summaries['gender_count']).toEqual({ female: 0, male: 2 });
      // Hand-made: ten seconds, five of nobody, ten more of the same man, ten of another.
      const near = (value: number | undefined, seconds: number) =>
        expect(Math.abs((value ?? 0) - seconds)).toBeLessThan(0.75);
      near(summaries['person_screen_time']!['Franck'], 20);
      near(summaries['person_screen_time']!['Unknown #1'], 10);
      near(summaries['gender_screen_time']!['male'], 30);
      expect(summaries['gender_screen_time']!['female']).toBe(0);
      expect(Object.keys(summaries['age_screen_time']!).sort()).toEqual(['0-17', '18-29', '30-44', '45-59', '60-120']);
      near(
        Object.values(summaries['age_screen_time']!).reduce((a, b) => a + b),
        30,
      );
      expect(await work()).toEqual(before);
    });

    it('give a person who is unknown in two modules and two films one name', async () => {
      const modules = {
        face_recognition: { model: 'team', cluster_unknowns: true },
        advanced_diversity_analysis: { model: 'team' },
      };
      const { id } = await engine.api.mine({ sources: [film, film], modules });
      const { data } = await engine.api.call(SummarizedResultPage, 'GET', `/jobs/${id}/summarized-results/?limit=100`);
      const summaries = (type: string) => data.filter((sum) => sum.type === type).map(({ meta }) => meta);
      const named = ['Franck', 'Unknown #1'];
      expect(summaries('person_screen_time').map((seconds) => Object.keys(seconds).sort())).toEqual([named, named]);
      expect(
        people(await engine.api.segments(id, { module: 'face_recognition' }))
          .sort()
          .at(-1),
      ).toBe('Unknown #1');
      // Everything that is counted counts the same people, film by film.
      expect(summaries('gender_count')).toEqual([
        { female: 0, male: named.length },
        { female: 0, male: named.length },
      ]);
      for (const seconds of summaries('age_count')) {
        expect(Object.values(seconds).reduce((a, b) => a + b)).toBe(named.length);
      }
      const report = await reportOf(id);
      const shown = [0, 1].map((film) =>
        report.segments.filter(({ type, sourceIndex }) => type === 'face' && sourceIndex === film),
      );
      expect(shown.map((faces) => [...new Set(faces.map(({ label }) => label))].sort())).toEqual([named, named]);
      expect(report.html).toMatch(/<dt>Found<\/dt><dd>1 name, 1 unknown<\/dd>/);
      const cards = report.html.split('<section class="sums">').slice(1);
      expect(cards.map((card) => [...card.matchAll(/<th scope="row">((?:Franck|Unknown)[^<]*)/g)].length)).toEqual([
        2, 2,
      ]);
      for (const card of cards) expect(card).toMatch(/<th scope="row">male<.*?· 2 people<\/td>/);
    });
  });

  it('is the one that is asked when a job names none, and the job says so', async () => {
    const job = await engine.api.mine({ sources: [film] });
    expect(job.modules['face_recognition']).toMatchObject({ model: 'team' });
    // It was looked at for another job.
    expect(job.provenance).toMatchObject({
      modules: { face_recognition: { models: [{ name: 'team', version: 1 }] } },
      analyses: [
        {
          analysis: 'faces',
          decoder_version: DECODER_VERSION,
          modules: ['face_recognition'],
          made_by: [{ engine_version: buildVersion(), providers: ['cpu'] }],
        },
      ],
    });
    expect(job.provenance!.analyses[0]!.models.map(({ name }) => name)).toContain('face-embedding');
    const { data } = await engine.api.call(ArtifactPage, 'GET', `/jobs/${job.id}/artifacts/`);
    const { id } = data.find(({ filename }) => filename === 'results.json')!;
    const file = await engine.api.request('GET', `/jobs/${job.id}/artifacts/${id}/file/`);
    expect(await file.json()).toMatchObject({ job: { provenance: job.provenance } });
    expect(people(await engine.api.segments(job.id))).toEqual(['Franck', 'Franck', 'unknown']);
  });

  it('gets a new version when somebody is added, served at once', async () => {
    const folder = join(engine.folder, 'one');
    await mkdir(join(folder, 'Monsieur'), { recursive: true });
    await cp(faces['franck_02888']!, join(folder, 'Monsieur/photo.jpg'));
    expect(await engine.cli('gallery', 'build', folder, '--name', 'team')).toContain('version 2');
    for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
      if (people(await ask({ model: 'team' }))[0] === 'Monsieur') break;
    }
    expect(people(await ask({ model: 'team' })).slice(0, 2)).toEqual(['Monsieur', 'Monsieur']);
    expect(await work()).toEqual(before);
  });
});

inferenceRequests(() => engine);
photoSearches(() => engine);

interface Report {
  html: string;
  segments: { type: string; label: string; sourceIndex: number }[];
}

/** The report of a job: its page, and the results that the page's script reads. */
async function reportOf(jobId: string): Promise<Report> {
  const { data } = await engine.api.call(ArtifactPage, 'GET', `/jobs/${jobId}/artifacts/`);
  const { id } = data.find(({ filename }) => filename === 'report.html')!;
  const html = await (await engine.api.request('GET', `/jobs/${jobId}/artifacts/${id}/file/`)).text();
  const [, json = ''] = /<script type="application\/json" id="adit-results">(.*?)<\/script>/s.exec(html) ?? [];
  return { html, ...(JSON.parse(json) as Pick<Report, 'segments'>) };
}

/** The engine notices new folders by itself; seconds may pass. */
async function installed(gallery: string): Promise<void> {
  const order = { sources: [film], modules: { face_recognition: { model: gallery } } };
  for (const end = Date.now() + 120_000; ; await sleep(100)) {
    try {
      await engine.api.post(order);
      return;
    } catch (error) {
      if (!(error instanceof Refused) || Date.now() > end) throw error;
    }
  }
}
