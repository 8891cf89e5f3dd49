/** @needs ffmpeg, weights, build, time */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dataset, DatasetClass, DatasetImage, Dictionary, type DetailedResult } from '@adit/contracts';
import { writeCaptioner } from '@adit/analyses/testing/captioners';
import { writeColourScenes } from '@adit/analyses/testing/colour-scenes';
import { writeColourWords } from '@adit/analyses/testing/colour-words';
import { sampleMedia, transcode } from '@adit/testing';
import { z } from 'zod';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { manNamed, manTalking, mediaRoots, NAMED } from './films.js';

const { groups } = sampleMedia();
const MODULES = z.array(z.object({ id: z.string(), models_not_installed: z.array(z.object({ name: z.string() })) }));
let engine: EngineUnderTest;

beforeAll(async () => {
  engine = await EngineUnderTest.start({ localRoots: await mediaRoots() });
});
afterAll(async () => engine?.close());

/** Counts since the engine's start: decoded chunks, analysed chunks by analysis, model runs. */
async function work() {
  const runsOf = (analysis: string) => engine.api.metric('adit_analysis_seconds_count', `analysis="${analysis}"`);
  const [decoded, faces, objects, text, runs] = await Promise.all([
    engine.api.metric('adit_decode_seconds_count'),
    ...['faces', 'objects', 'text'].map(runsOf),
    engine.api.metric('adit_model_run_seconds_count'),
  ]);
  return { decoded, faces, objects, text, runs } as Record<'decoded' | 'faces' | 'objects' | 'text' | 'runs', number>;
}

const NOTHING = { decoded: 0, faces: 0, objects: 0, text: 0, runs: 0 };

/** The findings of a job and its cost. */
async function mine(source: string, modules: Record<string, Record<string, unknown>>) {
  const before = await work();
  const job = await engine.api.mine({ sources: [source], modules });
  const after = await work();
  const cost = {
    decoded: after.decoded - before.decoded,
    faces: after.faces - before.faces,
    objects: after.objects - before.objects,
    text: after.text - before.text,
    runs: after.runs - before.runs,
  };
  return { job, cost, segments: await engine.api.segments(job.id) };
}

describe('one film, four questions', () => {
  const four = {
    face_recognition: { cluster_unknowns: true },
    object_scene_recognition: {},
    lower_third_recognition: {},
    advanced_diversity_analysis: {},
  };
  let film: string;
  let asked: Awaited<ReturnType<typeof mine>>;
  const of = (name: string, { segments }: typeof asked) => segments.filter(({ module }) => module === name);

  beforeAll(async () => {
    film = await manNamed();
    asked = await mine(film, four);
  });

  it('is decoded once, and looked at once for faces', () => {
    const chunks = 2;
    expect(asked.cost).toEqual({
      decoded: chunks,
      faces: chunks,
      objects: chunks,
      text: chunks,
      runs: expect.any(Number) as unknown,
    });
    expect(asked.job.modules).toMatchObject({
      object_scene_recognition: { state: 'completed', model: 'general-c', min_confidence: 70, language: 0 },
      ...Object.fromEntries(Object.keys(four).map((id) => [id, { state: 'completed' }])),
    });
  });

  it('answers who is named, as one segment although the film was cut meanwhile', () => {
    const named = of('lower_third_recognition', asked);
    expect(named).toMatchObject([{ meta: { label: NAMED.name, from_dictionary: true }, media_type: 'video' }]);
    const [{ time_start: start, time_end: end, detections, thumbnail }] = named as [DetailedResult];
    expect([start, end]).toEqual([NAMED.from, NAMED.to - 0.5]);
    expect(detections).toHaveLength(2 * (NAMED.to - NAMED.from));
    for (const { type, data } of detections) {
      expect(type).toBe('text_bbox');
      expect(data).toMatchObject({
        x: expect.closeTo(80 / 960, 1) as unknown,
        y: expect.closeTo(555 / 720, 1) as unknown,
      });
    }
    expect(thumbnail?.image.slice(0, 4)).toBe('/9j/');
    const [man, ...others] = of('face_recognition', asked);
    expect(man?.time_end).toBeGreaterThan(19);
    expect(others).toEqual([]);
  });

  it('answers what is to be seen', () => {
    expect(asked.job.result.summary[0]?.items).toContainEqual({
      type: 'object',
      label: 'person',
      module: 'object_recognition',
    });
    const [person, ...others] = of('object_recognition', asked).filter(({ meta }) => meta['label'] === 'person');
    expect(others).toEqual([]);
    expect(person).toMatchObject({ media_type: 'video', frame_start: 0 });
    expect(person?.time_end).toBeGreaterThan(19);
    expect(Object.keys(person?.meta ?? {}).sort()).toEqual(['label', 'mean_confidence']);
    expect(person?.meta['mean_confidence']).toBeGreaterThan(0.9);
    expect(person?.thumbnail?.image.slice(0, 4)).toBe('/9j/');
    for (const { type, data } of person?.detections ?? []) {
      expect(type).toBe('object_bbox');
      for (const part of ['x', 'y', 'w', 'h', 'confidence']) {
        expect(data[part]).toBeGreaterThanOrEqual(0);
        expect(data[part]).toBeLessThanOrEqual(1);
      }
    }
  });

  it('costs nothing for other thresholds, a dictionary and one more module over the same faces', async () => {
    const form = new FormData();
    form.append('file', new Blob([`source,target\n${NAMED.name},Mayor\n`], { type: 'text/csv' }), 'names.csv');
    const { id } = await engine.api.call(Dictionary, 'POST', '/dictionaries/', form);
    const again = await mine(film, {
      ...four,
      face_recognition: { cluster_unknowns: true, max_distance: 0.8 },
      object_scene_recognition: { min_confidence: 5, language: 1 },
      lower_third_recognition: { min_face_size: 60, dictionaries: [{ id }] },
      gender_neutrality_estimation: {},
    });
    expect(again.cost).toEqual(NOTHING);
    expect(of('lower_third_recognition', again)).toMatchObject([{ meta: { label: 'Mayor' }, time_start: NAMED.from }]);
    expect(of('gender_neutrality_estimation', again)).toHaveLength(1);
    expect(of('object_recognition', again).map(({ meta }) => meta['label'])).toContain('Person');
  });

  it('teaches a dataset who is named, as soon as somebody agrees', async () => {
    const post = (type: string) => engine.api.call(Dataset, 'POST', '/datasets/', { name: 'From captions', type });
    const { id } = await post('face');
    const order = (dataset: string) => ({ sources: [film], modules: { lower_third_recognition: { dataset } } });
    const { errors } = await engine.api.mine(order(id));
    expect(errors).toEqual([]);
    const classes = await engine.api.call(z.array(DatasetClass), 'GET', `/datasets/${id}/classes/`);
    expect(classes).toMatchObject([{ label: NAMED.name, level: 1, active: true, number_of_images: 1 }]);
    const path = `/datasets/${id}/classes/${classes[0]!.id}/images/`;
    const evaluated = async (): Promise<DatasetImage> => {
      for (;;) {
        const [image] = await engine.api.call(z.array(DatasetImage), 'GET', path);
        if (image?.evaluation_result.face_clustering !== undefined) return image;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const image = await evaluated();
    expect(image).toMatchObject({ active: false, is_auto_generated: true });
    expect(image.evaluation_result).toMatchObject({ face_clustering: 'match' });
    expect(await engine.api.call(Dataset, 'GET', `/datasets/${id}/`)).toMatchObject({ number_of_active_images: 0 });
    await engine.api.call(DatasetImage, 'PATCH', `${path}${image.id}/`, { active: true });
    expect(await engine.api.call(Dataset, 'GET', `/datasets/${id}/`)).toMatchObject({ number_of_active_images: 1 });

    const { id: places } = await post('landmark');
    for (const other of [places, randomUUID()]) {
      const refused = await engine.api.post(order(other)).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        status: 400,
        problem: { errors: [{ pointer: '/modules/lower_third_recognition/dataset', code: 'unknown_dataset' }] },
      });
    }
  });
});

describe('one film, two questions', () => {
  it('costs nothing but the new analysis when the second question comes later', async () => {
    const film = await manTalking(110, 8);
    const faces = await mine(film, { face_recognition: {} });
    const { decoded } = faces.cost;
    expect(faces.cost).toMatchObject({ faces: decoded, objects: 0, text: 0 });

    const both = await mine(film, { face_recognition: {}, object_scene_recognition: {} });
    expect(both.cost).toMatchObject({ decoded, faces: 0, objects: decoded, text: 0 });
    expect(both.segments.filter(({ module }) => module === 'face_recognition')).toEqual(faces.segments);
  });

  it('is one segment a label for each photo', async () => {
    const photo = groups['sample3']!;
    const { segments } = await mine(photo, { object_recognition: {} });
    const person = segments.find(({ meta }) => meta['label'] === 'person');
    expect(person).toMatchObject({ media_type: 'image', frame_start: 0, frame_end: 0 });
    expect(person?.detections).toHaveLength(3);
    expect(Object.keys(person?.meta ?? {}).sort()).toEqual(['confidence', 'label']);
  });

  it('analyses the interval that a range names', async () => {
    const range = { time_start: 3, time_end: 6 };
    const { segments } = await mine(await manTalking(110, 8), { object_recognition: { range } });
    const [person] = segments.filter(({ meta }) => meta['label'] === 'person');
    expect(person?.time_start).toBeGreaterThanOrEqual(3);
    expect(person?.time_end).toBeLessThanOrEqual(6);
  });

  it.each([{ model: 'zero-shot' }, { words: ['a blue wall'] }, { enable_captioning: true }])(
    'is refused with %j, naming what is installed',
    async (args) => {
      const posted = engine.api.post({ sources: [groups['sample3']!], modules: { object_recognition: args } });
      const refusal = await posted.then(
        () => null,
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(Refused);
      const { status, problem } = refusal as Refused;
      expect(status).toBe(400);
      expect(problem).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
      expect(problem.detail).toContain('general-c');
    },
  );
});

// Last: the model stays.
describe('a classifier of scenes that is dropped into the folder of models', () => {
  it('is looked with from the next job on, beside the detector', async () => {
    await writeColourScenes(join(engine.dataDir, 'models'));
    const notInstalled = async (): Promise<string[]> => {
      const modules = await engine.api.call(MODULES, 'GET', '/modules/');
      return modules.flatMap(({ id, models_not_installed: slots }) =>
        id === 'object_scene_recognition' ? slots.map(({ name }) => name) : [],
      );
    };
    for (const end = Date.now() + 120_000; (await notInstalled()).includes('scenes') && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await notInstalled()).toEqual(['zero-shot', 'captioning']);

    const { cost, segments } = await mine(await manTalking(110, 8), { object_recognition: {} });
    // The objects of this film are known.
    expect(cost).toMatchObject({ faces: 0, objects: 0 });
    const scenes = segments.filter(({ meta }) => ['sunset', 'forest', 'sea'].includes(String(meta['label'])));
    expect(scenes.length).toBeGreaterThan(0);
    expect(scenes[0]).toMatchObject({ media_type: 'video', module: 'object_recognition', detections: [] });
    expect(segments.map(({ meta }) => meta['label'])).toContain('person');
  });
});

describe('models that write and read text, dropped into the folder of models', () => {
  it('describe what a picture shows, and look for the words of a dictionary', async () => {
    const folder = join(engine.dataDir, 'models');
    await writeCaptioner(folder, 'captioning', 'trocr');
    await writeColourWords(folder, 'zero-shot');
    const missing = async (): Promise<string[]> => {
      const modules = await engine.api.call(MODULES, 'GET', '/modules/');
      return modules.flatMap(({ models_not_installed: slots }) => slots.map(({ name }) => name));
    };
    for (const end = Date.now() + 120_000; Date.now() < end;) {
      const still = await missing();
      if (!still.includes('captioning') && !still.includes('zero-shot')) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const rows = 'color=red:s=160x60[a];color=lime:s=160x60[b];[a][b]vstack,format=gbrp';
    const photo = await transcode('red-over-green.png', ['-f', 'lavfi', '-i', rows, '-frames:v', '1']);
    const described = await mine(photo, { object_recognition: { enable_captioning: true } });
    const captions = described.segments.filter(({ meta }) => String(meta['label']).includes('above'));
    expect(captions).toMatchObject([
      { module: 'object_recognition', media_type: 'image', detections: [], meta: { label: 'red above green' } },
    ]);
    const alone = await mine(photo, { object_recognition: { model: 'captioning' } });
    expect(alone.segments.map(({ meta }) => meta['label'])).toEqual(['red above green']);

    const blue = 'color=blue:s=160x120,format=gbrp';
    const sea = await transcode('blue.png', ['-f', 'lavfi', '-i', blue, '-frames:v', '1']);
    const form = new FormData();
    form.append('name', 'colours');
    form.append(
      'file',
      new Blob(['source,target\nred,Rot\nblue,Blau\ngreen,Grün\n'], { type: 'text/csv' }),
      'colours.csv',
    );
    const { id } = await engine.api.call(Dictionary, 'POST', '/dictionaries/', form);
    const found = await mine(sea, { object_recognition: { model: 'zero-shot', dictionaries: [{ id }] } });
    expect(found.segments.map(({ meta }) => meta['label'])).toEqual(['Blau']);
  });
});
