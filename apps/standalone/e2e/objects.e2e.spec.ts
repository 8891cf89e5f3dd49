import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeColourScenes } from '@adit/analyses/testing/colour-scenes';
import { sampleMedia } from '@adit/testing';
import { z } from 'zod';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { manTalking, mediaRoots } from './films.js';

const BOOT = 120_000;
const LONG = 120_000;
const { groups } = sampleMedia();
const MODULES = z.array(z.object({ id: z.string(), models_not_installed: z.array(z.object({ name: z.string() })) }));
let engine: EngineUnderTest;

beforeAll(async () => {
  engine = await EngineUnderTest.start({ localRoots: await mediaRoots() });
}, BOOT);
afterAll(async () => engine?.close(), BOOT);

/** How many chunks were decoded and how many looked at for faces and for objects, since the engine began. */
async function work(): Promise<{ decoded: number; faces: number; objects: number }> {
  const [decoded, faces, objects] = await Promise.all([
    engine.api.metric('adit_decode_seconds_count'),
    engine.api.metric('adit_analysis_seconds_count', 'analysis="faces"'),
    engine.api.metric('adit_analysis_seconds_count', 'analysis="objects"'),
  ]);
  return { decoded, faces, objects };
}

/** What a job cost beside what it found. */
async function mine(source: string, modules: Record<string, Record<string, unknown>>) {
  const before = await work();
  const job = await engine.api.mine({ sources: [source], modules });
  const after = await work();
  const cost = {
    decoded: after.decoded - before.decoded,
    faces: after.faces - before.faces,
    objects: after.objects - before.objects,
  };
  return { job, cost, segments: await engine.api.segments(job.id) };
}

describe('one film, two questions', () => {
  it(
    'is decoded once for both',
    async () => {
      const { job, cost, segments } = await mine(await manTalking(80, 8), {
        object_scene_recognition: {},
        face_recognition: {},
      });
      expect(cost.decoded).toBeGreaterThan(0);
      expect(cost).toEqual({ decoded: cost.decoded, faces: cost.decoded, objects: cost.decoded });
      expect(job.modules).toMatchObject({
        object_scene_recognition: { state: 'completed', model: 'general-c', min_confidence: 70, language: 0 },
        face_recognition: { state: 'completed' },
      });
      expect(job.result.summary[0]?.items).toContainEqual({
        type: 'object',
        label: 'person',
        module: 'object_recognition',
      });
      const [person, ...others] = segments.filter(({ meta }) => meta['label'] === 'person');
      expect(others).toEqual([]);
      expect(person).toMatchObject({ media_type: 'video', module: 'object_recognition', frame_start: 0 });
      expect(person?.time_end).toBeGreaterThan(7);
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
    },
    LONG,
  );

  it(
    'costs nothing but the new analysis when the second question comes later, and nothing for another threshold',
    async () => {
      const film = await manTalking(110, 8);
      const faces = await mine(film, { face_recognition: {} });
      expect(faces.cost).toEqual({ decoded: faces.cost.decoded, faces: faces.cost.decoded, objects: 0 });

      const both = await mine(film, { face_recognition: {}, object_scene_recognition: {} });
      expect(both.cost).toEqual({ decoded: faces.cost.decoded, faces: 0, objects: faces.cost.decoded });
      expect(both.segments.filter(({ module }) => module === 'face_recognition')).toEqual(faces.segments);

      const again = await mine(film, { object_recognition: { min_confidence: 5, language: 1 } });
      expect(again.cost).toEqual({ decoded: 0, faces: 0, objects: 0 });
      const labels = again.segments.map(({ meta }) => meta['label']);
      expect(labels).toContain('Person');
      expect(labels.length).toBeGreaterThan(
        both.segments.filter(({ module }) => module === 'object_recognition').length,
      );
    },
    LONG,
  );

  it('is one segment a label for each photo', async () => {
    const photo = groups['sample3']!;
    const { segments } = await mine(photo, { object_recognition: {} });
    const person = segments.find(({ meta }) => meta['label'] === 'person');
    expect(person).toMatchObject({ media_type: 'image', frame_start: 0, frame_end: 0 });
    expect(person?.detections).toHaveLength(3);
    expect(Object.keys(person?.meta ?? {}).sort()).toEqual(['confidence', 'label']);
  });

  it('looks at the stretch that a range names', async () => {
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
  it(
    'is looked with from the next job on, beside the detector',
    async () => {
      await writeColourScenes(join(engine.dataDir, 'models'));
      const notInstalled = async (): Promise<string[]> => {
        const modules = await engine.api.call(MODULES, 'GET', '/modules/');
        return modules.flatMap(({ id, models_not_installed: slots }) =>
          id === 'object_scene_recognition' ? slots.map(({ name }) => name) : [],
        );
      };
      for (const end = Date.now() + LONG / 2; (await notInstalled()).includes('scenes') && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(await notInstalled()).toEqual(['zero-shot', 'captioning']);

      const { cost, segments } = await mine(await manTalking(80, 8), { object_recognition: {} });
      // The objects of this film are known.
      expect(cost).toMatchObject({ faces: 0, objects: 0 });
      const scenes = segments.filter(({ meta }) => ['sunset', 'forest', 'sea'].includes(String(meta['label'])));
      expect(scenes.length).toBeGreaterThan(0);
      expect(scenes[0]).toMatchObject({ media_type: 'video', module: 'object_recognition', detections: [] });
      expect(segments.map(({ meta }) => meta['label'])).toContain('person');
    },
    LONG,
  );
});
