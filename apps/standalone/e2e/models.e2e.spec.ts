import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Model, ModelPage } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Refused } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';

const { faces } = sampleMedia();
const photo = faces['franck_02888']!;
let engine: EngineUnderTest;

beforeAll(async () => {
  engine = await EngineUnderTest.start({ localRoots: [dirname(photo)] });
});
afterAll(() => engine?.close());

const models = () => engine.api.call(Model.array(), 'GET', '/models/');
const team = async () => (await models()).find(({ name }) => name === 'team');
const people = async (args: Record<string, unknown>) => {
  const { id, modules } = await engine.api.mine({ sources: [photo], modules: { face_recognition: args } });
  const named = (await engine.api.segments(id)).map(({ meta }) => meta['person']);
  return { named, model: modules['face_recognition']?.['model'] };
};

/** A gallery of one person, of one photo, as a data scientist makes it while the engine runs. */
async function build(person: string, of: string): Promise<void> {
  const folder = join(engine.folder, person);
  await mkdir(folder, { recursive: true });
  await cp(faces[of]!, join(folder, `${person}.jpg`));
  await engine.cli('gallery', 'build', folder, '--name', 'team', '--description', 'The team');
}

/** The engine notices by itself; seconds may pass. */
async function until(condition: (model: Model | undefined) => boolean): Promise<Model | undefined> {
  for (const end = Date.now() + 120_000; ; await sleep(100)) {
    const model = await team();
    if (condition(model)) return model;
    if (Date.now() > end) throw new Error('It never came to that.');
  }
}

describe('a gallery that is put into the repository of a running engine', () => {
  let id: string;

  beforeAll(async () => {
    expect(await team()).toBeUndefined();
    await build('Franck', 'franck_02221');
    id = (await until((model) => model !== undefined))!.id;
  });

  it('is a model beside those that come with Adit', async () => {
    const page = await engine.api.call(ModelPage, 'GET', '/models/?limit=1');
    expect(page).toMatchObject({ total: 2, data: [{ name: 'general-c', is_public: true, type: 'object' }] });
    expect(await engine.api.call(Model, 'GET', `/models/${id}/`)).toMatchObject({
      name: 'team',
      description: 'The team',
      type: 'face',
      is_public: false,
      latest_version: { version_number: 1 },
    });
  });

  it('recognises when a job names its id', async () => {
    expect(await people({ model: id })).toEqual({ named: ['Franck'], model: 'team' });
  });

  it('goes to those modules of the command line that take it, or to none with a reason', async () => {
    const out = join(engine.folder, 'out');
    const mine = (...modules: string[]) =>
      engine.cli('mine', photo, '--server', engine.api.url, '--out', out, '--model', id, '-m', modules.join(','));
    expect(await mine('face_recognition', 'object_recognition')).toContain('Franck');
    await expect(mine('object_recognition', 'lower_third_recognition')).rejects.toThrow(
      /The model team is for advanced_diversity_analysis and face_recognition, and you ask object_recognition/,
    );
  });

  it('is described, keeps that through a restart, and is still the same model', async () => {
    const fields = { description: 'Our newsroom', custom_fields: [{ owner: 'archive' }] };
    const changed = await engine.api.call(Model, 'PUT', `/models/${id}/`, fields);
    expect(changed).toMatchObject(fields);
    await engine.kill();
    await engine.boot();
    expect(await engine.api.call(Model, 'GET', `/models/${id}/`)).toEqual(changed);
  });

  it('is gone when it was deleted, until there is a new version of it', async () => {
    await engine.api.call(z.strictObject({ message: z.string() }), 'DELETE', `/models/${id}/`);
    expect((await models()).map(({ name }) => name)).toEqual(['general-c']);
    for (const model of [id, 'team']) {
      const refused: unknown = await engine.api
        .post({ sources: [photo], modules: { face_recognition: { model } } })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect((refused as Refused).status).toBe(400);
      expect((refused as Refused).problem.detail).toMatch(/not installed\. Installed face galleries: none\.$/);
    }
    expect(await people({})).toEqual({ named: ['unknown'], model: undefined });

    await build('Monsieur', 'franck_04000');
    const back = await until((model) => model !== undefined);
    expect(back).toMatchObject({
      id,
      description: 'The team',
      custom_fields: [],
      latest_version: { version_number: 2 },
    });
    expect(await people({ model: id })).toEqual({ named: ['Monsieur'], model: 'team' });
  });
});
