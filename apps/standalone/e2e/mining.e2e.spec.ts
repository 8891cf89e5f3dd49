/** @needs ffmpeg, weights, build */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  ArtifactPage,
  DetailedResult,
  DetailedResultPage,
  Dictionary,
  SpeechMeta,
  Transcript,
  TranscriptParagraphPage,
  TranscriptVariantPage,
  type Job,
} from '@adit/contracts';
import { pullModel } from '@adit/models';
import { sampleMedia, transcode } from '@adit/testing';
import { z } from 'zod';
import { EngineUnderTest } from './engine-under-test.js';
import { MAN_TWICE, manTwice, mediaRoots } from './films.js';
import { served, speakerAt, twoInTurns } from './speakers.js';
import { speechJob } from './speech-job.js';
import { pulledModel } from '../../../libs/analyses/testing/pulled-models.js';

const { groups, kennedy } = sampleMedia();
const speech = await pulledModel('whisper-base');
const voices = await pulledModel('resemblyzer');
const prompts = process.env['ADIT_TEST_PROMPTS'];
const cacheDir = process.env['ADIT_CACHE_DIR'] ?? join(homedir(), '.cache/adit');
const face = { face_recognition: {} };
let engine: EngineUnderTest;
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'adit-e2e-media-'));
  // A folder of its own: one more model comes into it.
  const modelsDir = join(scratch, 'models');
  if ('folder' in speech) await pullModel({ name: 'whisper-base', modelsDir, cacheDir });
  const env = { ADIT_MODELS_DIR: modelsDir };
  engine = await EngineUnderTest.start({ localRoots: [...(await mediaRoots()), dirname(kennedy), scratch], env });
});
afterAll(async () => {
  await engine?.close();
  await rm(scratch, { recursive: true, force: true });
});

const labelled = { type: 'face', label: 'unknown', module: 'face_recognition' };

describe('a dry run', () => {
  /** @hardening overload: A film has a tag of many megabytes */
  it('hears from a decoder what the sources are', async () => {
    await writeFile(join(scratch, 'page.mp4'), '<!doctype html><html></html>');
    const sources = [groups['sample1']!, join(scratch, 'page.mp4'), 'https://example.org/film.mp4'];
    const reply = await engine.api.request('POST', '/jobs/?dry_run=true', { sources, modules: face });
    const answer: unknown = await reply.json();
    expect(answer).toMatchObject({
      media_type: 'image',
      sources: [
        { facts: { kind: 'image', format: 'jpeg' }, error: null },
        { facts: null, error: expect.stringContaining('web page') },
        { facts: null, error: null },
      ],
      estimate: { pictures: 1 },
    });
  });
});

describe('photos', () => {
  // Faces counted by eye.
  const sources = [groups['sample1']!, groups['sample5']!, groups['sample4']!];
  const faces = [3, 5, 4];
  let job: Job;
  beforeAll(async () => {
    job = await engine.api.mine({ sources, tag: 'holiday' });
  });

  it('end as a job that says what it is about', () => {
    expect(job).toMatchObject({ tag: 'holiday', media_type: 'image', progress: 1, errors: [], sources });
    expect(job.modules['face_recognition']).toMatchObject({ state: 'completed', progress: 1, max_distance: 1 });
    expect(job.result.summary).toEqual(
      sources.map((source) => ({
        ...{ source, source_name: basename(source) },
        ...{ media_type: 'image', info: {}, items: [labelled] },
      })),
    );
    expect(Date.parse(job.time_started!)).toBeGreaterThanOrEqual(Date.parse(job.time_created));
    expect(Date.parse(job.time_completed!)).toBeGreaterThan(Date.parse(job.time_started!));
  });

  /** @hardening media: A face has no picture, or another's */
  it('show every face once, with its box and its picture', async () => {
    const segments = await engine.api.segments(job.id);
    expect(sources.map((source) => segments.filter((segment) => segment.source === source).length)).toEqual(faces);
    for (const { source, detections, thumbnail, ...segment } of segments) {
      const frame = sources.indexOf(source);
      expect(segment).toMatchObject({
        ...{ media_type: 'image', module: 'face_recognition', frame_start: frame, frame_end: frame },
        ...{ time_start: 0, time_end: 0, tc_start: '00:00:00:00', tc_end: '00:00:00:00' },
        meta: { person: 'unknown', class_id: null, closest_person: null, distance: 2, similarity: 0 },
      });
      expect(detections).toHaveLength(1);
      expect(detections[0]).toMatchObject({ frame_index: frame, type: 'face_bbox' });
      expectBox(detections[0]!.data);
      expectJpeg(thumbnail);
    }
  });

  it('are left out where a range of images says so', async () => {
    const range = { frame_start: 1, frame_end: 1 };
    const { id } = await engine.api.mine({ sources, modules: { face_recognition: { range } } });
    const segments = await engine.api.segments(id);
    expect(segments.map(({ source, frame_start }) => [source, frame_start])).toEqual(
      Array.from({ length: 5 }, () => [sources[1], 1]),
    );
  });

  it('that cannot be read are errors of their own', async () => {
    const broken = join(scratch, 'broken.jpg');
    await writeFile(broken, 'this was a picture once');
    const good = await engine.api.mine({ sources: [broken, groups['sample1']!] });
    expect(good.errors).toEqual([expect.stringContaining('broken.jpg')]);
    expect(await engine.api.segments(good.id)).toHaveLength(3);
    const bad = await engine.api.ended((await engine.api.post({ sources: [broken] })).id);
    expect(bad).toMatchObject({ state: 'failed', errors: [expect.stringContaining('broken.jpg')] });
  });
});

describe('a film', () => {
  let film: string;
  let job: Job;
  let segments: DetailedResult[];
  beforeAll(async () => {
    film = await manTwice();
    job = await engine.api.mine({ sources: [film], modules: face });
    segments = await engine.api.segments(job.id);
  });

  it('is described in the summary', () => {
    const info = { fps: 25, resolution: [400, 300], total_frames: 875, duration: 35 };
    expect(job.media_type).toBe('video');
    expect(job.result.summary).toEqual([
      { source: film, source_name: basename(film), media_type: 'video', info, items: [labelled] },
    ]);
  });

  it('shows who is there from when to when, by frame, second and timecode alike', () => {
    const stretches = [MAN_TWICE.first, MAN_TWICE.second, MAN_TWICE.other];
    expect(segments).toHaveLength(stretches.length);
    segments.forEach((segment, index) => {
      const [first, last] = stretches[index]!;
      const { frame_start: start, frame_end: end } = segment;
      // Two pictures a second are looked at, so the borders lie within half a second of the truth, never beyond it.
      expect(start).toBeGreaterThanOrEqual(first);
      expect(start).toBeLessThanOrEqual(first + 13);
      expect(end).toBeLessThanOrEqual(last);
      expect(end).toBeGreaterThanOrEqual(last - 13);
      expect(segment.time_start).toBeCloseTo(start! / 25, 5);
      expect(segment.time_end).toBeCloseTo(end! / 25, 5);
      expect([segment.tc_start, segment.tc_end]).toEqual([timecode(start!), timecode(end!)]);
      expectJpeg(segment.thumbnail);
    });
  });

  it('has a box for every picture that was looked at, in order', () => {
    for (const { detections, frame_start: start, frame_end: end } of segments) {
      const frames = detections.map(({ frame_index }) => frame_index);
      expect(frames.length).toBeGreaterThanOrEqual(18);
      expect([frames[0], frames.at(-1)]).toEqual([start, end]);
      expect(frames).toEqual([...new Set(frames)].sort((a, b) => a - b));
      for (const { data } of detections) expectBox(data);
    }
  });

  it('has dense pages: any cut gives the same results in the same order', async () => {
    expect(await engine.api.segments(job.id, { limit: '1' })).toEqual(segments);
    expect(await engine.api.segments(job.id, { limit: '2', module: 'face_recognition' })).toEqual(segments);
    const page = await engine.api.call(DetailedResultPage, 'GET', `/jobs/${job.id}/detailed-results/?offset=1&limit=1`);
    expect(page).toMatchObject({ total: 3, offset: 1, limit: 1, data: [segments[1]] });
    expect([page.next, page.prev]).toEqual([expect.stringContaining('offset=2'), expect.stringContaining('offset=0')]);
    const within = await engine.api.segments(job.id, { time_start: '11', time_end: '20' });
    expect(within).toEqual([segments[1]]);
  });

  /** @hardening media: results.json has another duration than the job */
  it('leaves results.json and a report', async () => {
    const { data } = await engine.api.call(ArtifactPage, 'GET', `/jobs/${job.id}/artifacts/`);
    expect(data.map(({ filename }) => filename).sort()).toEqual(['report.html', 'results.json']);
    const read = async (name: string) => {
      const { id } = data.find(({ filename }) => filename === name)!;
      return (await engine.api.request('GET', `/jobs/${job.id}/artifacts/${id}/file/`)).text();
    };
    const Results = z.object({ job: z.object({ duration: z.number() }), detailed_results: z.array(DetailedResult) });
    const json = Results.parse(JSON.parse(await read('results.json')));
    expect(json.detailed_results).toEqual(segments);
    expect(json.job.duration).toBe(job.duration);
    const report = await read('report.html');
    expect(report).toMatch(/^<!doctype html>/i);
    expect(report).toContain('man-twice.mp4');
  });

  it.each([
    ['seconds', { time_start: 5, time_end: 20 }, [125, 500]],
    ['frames', { frame_start: 131, frame_end: 409 }, [131, 409]],
  ])('is looked at in a range of %s only, and up to its borders', async (_, range, [from, to]) => {
    const { id } = await engine.api.mine({ sources: [film], modules: { face_recognition: { range } } });
    const found = await engine.api.segments(id);
    expect(found.map(({ frame_start: start }) => start! > MAN_TWICE.nobody[1])).toEqual([false, true]);
    const frames = found.flatMap(({ detections }) => detections.map(({ frame_index }) => frame_index));
    expect(frames[0]).toBe(from);
    expect(frames.at(-1)).toBeLessThanOrEqual(to!);
    expect(frames.at(-1)).toBeGreaterThanOrEqual(to! - 13);
  });

  it.each([
    { frame_start: 30, frame_end: 30 },
    { time_start: 1.2, time_end: 1.21 },
  ])('is looked at in a range of one frame: %j', async (range) => {
    const { id } = await engine.api.mine({ sources: [film], modules: { face_recognition: { range } } });
    expect(await engine.api.segments(id)).toMatchObject([{ frame_start: 30, frame_end: 30 }]);
  });
});

const whyNot = 'reason' in speech ? ` (skipped: ${speech.reason})` : '';
(whyNot === '' ? describe : describe.skip)(`a recording${whyNot}`, () => {
  it('becomes words with times, subtitles, a document, and a transcript that is edited and exported', async () => {
    const { segments, files, edited } = await speechJob(engine.api, kennedy);
    const said = segments.map(({ meta }) => String(meta['text'])).join(' ');
    expect(said.toLowerCase().replace(/[^a-z ]/g, '')).toBe(
      'and so my fellow americans ask not what your country can do for you ask what you can do for your country',
    );
    expect([...files.keys()].sort()).toEqual(['jfk.en.docx', 'jfk.en.srt', 'report.html', 'results.json']);
    const subtitles = String(files.get('jfk.en.srt'));
    expect(
      subtitles
        .replace(/^\d+\n\S+ --> \S+\n/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    ).toBe(said);
    // The edit changed one word, and no time.
    expect(edited).toBe(subtitles.replace(/(^1\n.*\n)\S+/, '$1Well'));
    // The model that distinguishes speakers is not installed yet.
    expect(segments.map(({ meta }) => meta['speaker'])).toEqual(segments.map(() => null));
  });

  const alone =
    'reason' in voices
      ? ` (skipped: ${voices.reason})`
      : prompts === undefined
        ? ' (skipped: no telephone prompts)'
        : '';
  (alone === '' ? it : it.skip)(`says who speaks, once the model for that is pulled${alone}`, async () => {
    await pullModel({ name: 'resemblyzer', modelsDir: join(scratch, 'models'), cacheDir });
    await served(engine, 'resemblyzer');
    const { path, turns } = await twoInTurns(prompts!, scratch);
    const args = { language: 'en', mode: 'performance', word_level_timestamps: true };
    const { id } = await engine.api.mine({ sources: [path], modules: { speech_recognition: args } });
    const segments = await engine.api.segments(id);
    const words = segments.flatMap(({ meta }) => {
      const { speaker, words: all = [] } = SpeechMeta.parse(meta);
      return all.map(({ time_start: start, time_end: end }) => ({ start, end, speaker }));
    });
    const seconds = (of: typeof words): number => of.reduce((sum, { start, end }) => sum + end - start, 0);
    const right = words.filter(({ start, end, speaker }) => speaker === speakerAt(turns, (start + end) / 2));
    expect(words.length).toBeGreaterThan(50);
    expect(seconds(right) / seconds(words)).toBeGreaterThanOrEqual(0.95);
    const { id: transcript } = await engine.api.call(Transcript, 'POST', '/transcripts/', { job_id: id });
    const variants = `/transcripts/${transcript}/variants/`;
    const [variant] = (await engine.api.call(TranscriptVariantPage, 'GET', variants)).data;
    const paragraphs = `${variants}${variant!.id}/versions/1/paragraphs/`;
    const { data } = await engine.api.call(TranscriptParagraphPage, 'GET', paragraphs);
    expect(data.map(({ speaker }) => speaker)).toEqual(segments.map(({ meta }) => meta['speaker']));
    expect(new Set(data.map(({ speaker }) => speaker))).toEqual(new Set(['Speaker 1', 'Speaker 2']));
  });

  it('is heard with the words of its dictionaries in mind, however rare they are', async () => {
    const beginning = join(scratch, 'beginning.flac');
    await copyFile(await transcode('beginning.flac', ['-i', kennedy, '-t', '2.6']), beginning);
    const form = new FormData();
    form.append('file', new Blob(['my felloe Americans'], { type: 'text/plain' }), 'rims.txt');
    const { id } = await engine.api.call(Dictionary, 'POST', '/dictionaries/', form);
    // No word by itself is an entry: spelling what was heard would change nothing.
    const args = { language: 'en', mode: 'performance', dictionaries: [{ id }] };
    const job = await engine.api.mine({ sources: [beginning], modules: { speech_recognition: args } });
    const said = (await engine.api.segments(job.id)).map(({ meta }) => String(meta['text'])).join(' ');
    expect(said.toLowerCase()).toContain('my felloe americans');
  });
});

describe('requests that cannot be served', () => {
  it.each([
    ['a module that is not there', { face_reckognition: {} }, 'face_recognition'],
    ['an argument that is not there', { face_recognition: { max_distanz: 1 } }, 'max_distanz'],
    ['a value out of bounds', { face_recognition: { max_distance: 3 } }, '/modules/face_recognition/max_distance'],
    ['a gallery that is not installed', { face_recognition: { model: 'team' } }, 'not installed'],
  ])('are refused with the reason: %s', async (_, modules, reason) => {
    const reply = await engine.api.request('POST', '/jobs/', { sources: [groups['sample1']], modules });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(reason);
  });

  it('name no file outside the roots', async () => {
    const reply = await engine.api.request('POST', '/jobs/', { sources: ['/etc/passwd'], modules: face });
    expect(reply.status).toBe(400);
  });
});

describe('the command line', () => {
  it('mines on an engine that runs elsewhere, with files it uploads', async () => {
    const out = join(scratch, 'from the server');
    const photo = groups['sample1']!;
    const printed = await engine.cli('mine', photo, '--server', engine.api.url, '--out', out);
    for (const text of ['Unknown #1', 'Unknown #3', 'results.json', 'report.html']) expect(printed).toContain(text);
    const results = JSON.parse(await readFile(join(out, 'results.json'), 'utf8')) as object;
    expect(JSON.stringify(results)).toContain('storage://');
    expect((await readFile(join(out, 'report.html'), 'utf8')).slice(0, 15)).toBe('<!doctype html>');
  });
});

/** Fractions of the picture; faces of these media fill between a hundredth and most of it. */
function expectBox({ x, y, w, h }: Record<string, number>): void {
  expect(Math.min(x!, y!)).toBeGreaterThanOrEqual(0);
  expect(Math.max(x! + w!, y! + h!)).toBeLessThanOrEqual(1.0001);
  expect(w! * h!).toBeGreaterThan(0.003);
  expect(w! * h!).toBeLessThan(0.6);
}

function expectJpeg(thumbnail: DetailedResult['thumbnail']): void {
  const bytes = Buffer.from(thumbnail!.image, 'base64');
  expect(bytes.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  expect(bytes.subarray(-2).toString('hex')).toBe('ffd9');
}

function timecode(frame: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `00:00:${two(frame / 25)}:${two(frame % 25)}`;
}
