/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Job, type Model, modelId, ModelPage, Problem } from '@adit/contracts';
import { JobModuleEntity, ModelEntity, ModelVersionEntity } from '@adit/database';
import { describe, expect, it } from '@jest/globals';
import {
  useModelGateway,
  LONG,
  gateway,
  otherWorkspace,
  reader,
  folder,
  build,
  until,
  ask,
  list,
  names,
  read,
  replace,
  post,
  stop,
  fresh,
} from './testing/model-gateway.js';

useModelGateway();

/** Returns the models that a job was posted with. */
async function pinned(args: unknown): Promise<JobModuleEntity['models']> {
  const { id: jobId } = Job.parse((await post(args)).json());
  await stop(jobId);
  return (await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId })).models;
}

describe('the models of a workspace', () => {
  it('models that come with Adit are listed first, then the others by name', async () => {
    const models = await list();
    expect(models.map(({ name, type, is_public, modules }) => [name, type, is_public, modules])).toEqual([
      ['general-c', 'object', true, ['object_scene_recognition']],
      ['cast', 'face', false, ['advanced_diversity_analysis', 'face_recognition']],
      ['team', 'face', false, ['advanced_diversity_analysis', 'face_recognition']],
      ['town', 'landmark', false, ['landmark_recognition']],
    ]);
    const [general, cast] = models as [Model, Model];
    expect(general.description).toContain('COCO');
    expect(cast).toMatchObject({
      id: modelId('cast'),
      description: 'All of cast',
      custom_fields: [],
      versions: [{ version_number: 1, changelog: '', source_dataset: null }],
    });
    expect(cast.latest_version).toEqual(cast.versions[0]);
    expect(await read('cast')).toEqual(cast);
    expect(await list(reader)).toEqual(models);
    expect(await list(otherWorkspace)).toEqual(models);
  });

  it('models come in pages when asked for', async () => {
    const page = ModelPage.parse((await gateway.ask('GET', '/api/v1/models/?limit=2&offset=1')).json());
    expect(page).toMatchObject({ total: 4, offset: 1, limit: 2, data: [{ name: 'cast' }, { name: 'team' }] });
    expect(page.next).toMatch(/offset=3/);
    expect(ModelPage.parse((await gateway.ask('GET', '/api/v1/models?offset=9')).json()).data).toEqual([]);
  });

  it('an unknown id is 404', async () => {
    for (const id of [randomUUID(), modelId('face-embedding'), 'team', 'x', '%00']) {
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const { status } = await ask(method, id, {});
        expect([id, method, status]).toEqual([id, method, id === '%00' ? 400 : 404]);
      }
    }
  });

  it('models keep their times, whoever writes them down', async () => {
    const before = await list();
    await gateway.db.manager.delete(ModelVersionEntity, { modelId: modelId('team') });
    const after = await Promise.all([list(), list(), list()]);
    expect(new Set(after.map((models) => JSON.stringify(models))).size).toBe(1);
    expect(after[0]?.filter(({ name }) => name !== 'team')).toEqual(before.filter(({ name }) => name !== 'team'));
    expect(await gateway.db.manager.countBy(ModelEntity, { id: modelId('team') })).toBe(1);
  });
});

describe('a model that somebody installed', () => {
  it(
    'is described by the workspace, for itself alone',
    async () => {
      const before = await fresh();
      const { id, name } = before;
      const fields = { description: 'Ours', custom_fields: [{ owner: 'archive', since: 2026, tags: ['a', null] }, {}] };
      const after = await replace(name, fields);
      expect(after).toEqual({ ...before, ...fields, time_updated: after.time_updated });
      expect(after.time_updated > before.time_updated).toBe(true);
      expect(await read(name)).toEqual(after);
      expect((await list(otherWorkspace)).find((model) => model.id === id)).toEqual(before);
      // Sends back all that was read with one field changed, like many clients.
      expect(await replace(name, { ...after, custom_fields: [] })).toMatchObject({
        description: 'Ours',
        custom_fields: [],
      });
      expect(await replace(name, {})).toMatchObject({ description: `All of ${name}`, custom_fields: [] });
      expect(await replace(name, { description: '' })).toMatchObject({ description: '' });
    },
    LONG,
  );

  it(
    'gets a version when one is added or its files change, and is gone when they are',
    async () => {
      const { name, versions } = await fresh();
      await build(name, { people: 2 });
      await until(async () => (await read(name)).versions.length === 2);
      const second = await read(name);
      expect(second.versions.map(({ version_number }) => version_number)).toEqual([1, 2]);
      expect(second.versions[0]).toEqual(versions[0]);
      expect(await pinned({ model: name })).toMatchObject([{ name, version: 2 }]);
      const older = await gateway.db.manager.findOneByOrFail(ModelVersionEntity, {
        modelId: second.id,
        versionNumber: 1,
      });
      expect(await pinned({ model: older.digest })).toEqual([{ name, version: 1, digest: older.digest }]);
      expect(second.latest_version).toEqual(second.versions[1]);
      expect(second.time_updated).toBe(second.latest_version.time_created);
      // Other files under the same number.
      await rm(folder(name), { recursive: true });
      await build(name, { people: 3 });
      await until(async () => (await ask('GET', modelId(name))).json<Model>().versions?.length === 1);
      const third = await read(name);
      expect(third.latest_version.version_number).toBe(1);
      expect(third.latest_version.time_created > second.latest_version.time_created).toBe(true);
      await rm(folder(name), { recursive: true });
      await until(async () => !(await names()).includes(name));
      expect((await ask('GET', modelId(name))).status).toBe(404);
      expect((await post({ model: modelId(name) })).json()).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    },
    LONG,
  );

  it('an installed model is named by a job by name or id, and the job says its name', async () => {
    const asked = [{ model: 'team' }, { model: modelId('team') }, { model: modelId('team').toUpperCase() }];
    for (const args of asked) {
      const job = Job.parse((await post(args)).json());
      expect(job.modules['face_recognition']).toMatchObject({ model: 'team' });
      await stop(job.id);
    }
    const several = Job.parse((await post({ models: [modelId('team'), 'cast'] })).json());
    expect(several.modules['face_recognition']).toMatchObject({ models: ['team', 'cast'] });
    await stop(several.id);
    const place = Job.parse((await post({ model: modelId('town') }, {}, 'landmark_recognition')).json());
    expect(place.modules['landmark_recognition']).toMatchObject({ model: 'town' });
    const thing = Job.parse((await post({ model: modelId('general-c') }, {}, 'object_recognition')).json());
    expect(thing.modules['object_recognition']).toMatchObject({ model: 'general-c' });
    const general = Job.parse((await post({ model: 'general' }, {}, 'landmark_recognition')).json());
    expect(general.modules['landmark_recognition']).toMatchObject({ model: 'town' });
    // Nothing of people is general.
    expect((await post({ model: 'general' })).json()).toMatchObject({ code: 'MODEL_NOT_INSTALLED' });
    await build('former', { digest: 'e'.repeat(64) });
    await until(async () => (await list()).some(({ name }) => name === 'former'));
    const former = (await post({ model: 'former' })).json<Problem>();
    expect(former).toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      errors: [{ pointer: '/modules/face_recognition/model', code: 'other_embedding' }],
    });
    expect(former.detail).toMatch(/another face-embedding .* "adit gallery rebuild former"/);
    await rm(folder('former'), { recursive: true });
    await until(async () => (await list()).every(({ name }) => name !== 'former'));
    const wrong = await post({ model: modelId('town') });
    expect(wrong.status).toBe(400);
    expect(Problem.parse(wrong.json())).toMatchObject({
      code: 'MODEL_NOT_INSTALLED',
      errors: [{ pointer: '/modules/face_recognition/model' }],
    });
    expect(wrong.json()['message']).toMatch(/town is not installed\. Installed face galleries: cast, .*team/);
  });
});

describe('a model that comes with Adit', () => {
  it('a model that comes with Adit is neither changed nor deleted', async () => {
    const before = await read('general-c');
    for (const [method, body] of [
      ['PUT', { description: 'mine' }],
      ['DELETE', undefined],
    ] as const) {
      const { status, json } = await ask(method, before.id, body);
      expect([status, json()['code']]).toEqual([403, 'FORBIDDEN']);
    }
    expect(await read('general-c')).toEqual(before);
  });

  it(
    'is the user’s own as soon as another of its name is installed',
    async () => {
      const { description } = await read('general-c');
      await cp(join(import.meta.dirname, '../../../models/general-c'), folder('general-c'), { recursive: true });
      await until(async () => !(await read('general-c')).is_public);
      expect(await replace('general-c', { description: 'Trained on' })).toMatchObject({ description: 'Trained on' });
      await rm(folder('general-c'), { recursive: true });
      await until(async () => (await read('general-c')).is_public);
      expect((await read('general-c')).description).toBe(description);
    },
    LONG,
  );
});
