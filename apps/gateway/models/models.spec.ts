/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditPage, Job, Model, modelId, ModelPage, Problem } from '@adit/contracts';
import { ApiKeyEntity, JobModuleEntity, ModelEntity, ModelVersionEntity, WorkspaceEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { writeGalleryVersion, FACE_GALLERY, LANDMARK_MODEL, type GalleryKind } from '@adit/modules';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const TIMEOUT_MS = 300_000;
const LONG = 600_000;
let gateway: TestGateway;
/** Headers of keys that belong elsewhere, or may only read. */
let stranger: Record<string, string>;
let reader: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  stranger = await keyOf(randomUUID(), 'admin');
  reader = await keyOf(gateway.workspaceId, 'reader');
  await Promise.all(['cast', 'team'].map((name) => build(name)));
  await build('town', { kind: LANDMARK_MODEL });
  await until(async () => (await list()).length === 4);
}, BOOT_MS);
afterAll(() => gateway?.close());

async function keyOf(workspaceId: string, role: 'admin' | 'reader'): Promise<Record<string, string>> {
  const { manager } = gateway.db;
  const known = await manager.existsBy(WorkspaceEntity, { id: workspaceId });
  if (!known) await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
  const key = `key-${randomUUID()}`;
  const row = { id: randomUUID(), workspaceId, name: 'k', prefix: 'a', hash: hashApiKey(key), role };
  await manager.insert(ApiKeyEntity, row);
  return { authorization: `Key ${key}` };
}

const folder = (name = ''): string => join(gateway.dataDir, 'models', name);

interface Gallery {
  kind?: GalleryKind;
  people?: number;
  /** The network that made it. */
  digest?: string;
}

function build(name: string, { kind = FACE_GALLERY, people = 1, digest }: Gallery = {}) {
  const shown = Array.from({ length: people }, (_, at) => ({
    label: `${name} ${at}`,
    embeddings: [[at + 1, 1, 0, 0]],
  }));
  const { pin } = gateway.app.get(ModelRepository).resolve('face-embedding');
  const embedding = { name: pin.name, digest: digest ?? pin.digest };
  return writeGalleryVersion(folder(), name, shown, { kind, embedding, dimensions: 4, description: `All of ${name}` });
}

/** The repository notices by itself; seconds may pass. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; !(await condition()); await sleep(50)) {
    if (Date.now() > end) throw new Error('It never came to that.');
  }
}

const ask = (method: 'GET' | 'PUT' | 'DELETE', id: string, body?: unknown, headers: Record<string, string> = {}) =>
  gateway.ask(method, `/api/v1/models/${id}/`, body, headers);
const list = async (headers: Record<string, string> = {}): Promise<Model[]> =>
  Model.array().parse((await gateway.ask('GET', '/api/v1/models/', undefined, headers)).json());
const names = async (headers: Record<string, string> = {}) => (await list(headers)).map(({ name }) => name);
const read = async (name: string): Promise<Model> => Model.parse((await ask('GET', modelId(name))).json());
const replace = async (name: string, body: unknown): Promise<Model> =>
  Model.parse((await ask('PUT', modelId(name), body)).json());
const post = (args: unknown, headers: Record<string, string> = {}, module = 'face_recognition') =>
  gateway.ask(
    'POST',
    '/api/v1/jobs/',
    { sources: ['https://example.org/a.jpg'], modules: { [module]: args } },
    headers,
  );
const stop = (id: unknown) => gateway.ask('POST', `/api/v1/jobs/${String(id)}/stop/`);

/** Returns the models that a job was posted with. */
async function pinned(args: unknown): Promise<JobModuleEntity['models']> {
  const { id: jobId } = Job.parse((await post(args)).json());
  await stop(jobId);
  return (await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId })).models;
}

/** A model of its own for what changes it. */
async function fresh(): Promise<Model> {
  const name = `m-${randomUUID().slice(0, 8)}`;
  await build(name);
  await until(async () => (await names()).includes(name));
  return read(name);
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
    expect(await list(stranger)).toEqual(models);
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
      expect((await list(stranger)).find((model) => model.id === id)).toEqual(before);
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

describe('deleting a model', () => {
  it(
    'waits for jobs that use it',
    async () => {
      const { id, name } = await fresh();
      const job = Job.parse((await post({ model: id })).json());
      const refused = await ask('DELETE', id);
      expect([refused.status, refused.json()['code']]).toEqual([409, 'CONFLICT']);
      expect(refused.json()['message']).toContain(job.id);
      expect(await names()).toContain(name);
      await stop(job.id);
      expect((await ask('DELETE', id)).status).toBe(200);
      // The job keeps the version that it was posted with.
      expect((await gateway.ask('POST', `/api/v1/jobs/${job.id}/retry/`)).json()).toMatchObject({ state: 'waiting' });
      await stop(job.id);
    },
    LONG,
  );

  it(
    'takes it from this workspace alone, until a version is installed that is new',
    async () => {
      const { id, name } = await fresh();
      await replace(name, { description: 'Ours', custom_fields: [{ a: 1 }] });
      const theirs = Job.parse((await post({ model: id }, stranger)).json());
      expect((await ask('DELETE', id)).json()['message']).toContain(name);
      expect(await names()).not.toContain(name);
      for (const method of ['GET', 'PUT', 'DELETE'] as const) expect((await ask(method, id, {})).status).toBe(404);
      for (const model of [id, name]) {
        const refused = await post({ model });
        expect([refused.status, refused.json()['code']]).toEqual([400, 'MODEL_NOT_INSTALLED']);
        expect(String(refused.json()['message']).split('Installed')[1]).not.toContain(name);
      }
      const modules = (await gateway.ask('GET', '/api/v1/modules/')).text;
      expect([modules.includes(name), modules.includes('"team"')]).toEqual([false, true]);

      expect((await list(stranger)).find((model) => model.id === id)).toMatchObject({ custom_fields: [] });
      expect((await post({ model: name }, stranger)).status).toBe(200);
      expect(theirs.modules['face_recognition']).toMatchObject({ model: name });

      await build(name, { people: 2 });
      await until(async () => (await names()).includes(name));
      expect(await read(name)).toMatchObject({
        id,
        description: `All of ${name}`,
        custom_fields: [],
        versions: [{}, {}],
      });
      expect((await post({ model: id })).status).toBe(200);
    },
    LONG,
  );

  it(
    'leaves it out when a job names none',
    async () => {
      const key = await keyOf(randomUUID(), 'admin');
      for (const { id, is_public: isPublic, type } of await list(key)) {
        if (!isPublic && type === 'face' && id !== modelId('cast'))
          expect((await ask('DELETE', id, undefined, key)).status).toBe(200);
      }
      const chosen = async (headers: Record<string, string>) =>
        Job.parse((await post({}, headers)).json()).modules['face_recognition']?.['model'];
      expect(await chosen(key)).toBe('cast');
      expect(await chosen(stranger)).toBeUndefined();
    },
    LONG,
  );

  it(
    'is for keys that may write, and is in the audit log',
    async () => {
      const { id } = await fresh();
      for (const method of ['PUT', 'DELETE'] as const) expect((await ask(method, id, {}, reader)).status).toBe(403);
      await ask('PUT', id, { custom_fields: [] });
      await ask('DELETE', id);
      const url = `/api/v1/audit-log/?resource=models&resource_id=${id}`;
      await until(async () => AuditPage.parse((await gateway.ask('GET', url)).json()).total === 2);
      const { data } = AuditPage.parse((await gateway.ask('GET', url)).json());
      expect(data.map(({ action, fields }) => [action, fields])).toEqual([
        ['deleted', []],
        ['replaced', ['custom_fields']],
      ]);
    },
    LONG,
  );
});

describe('custom fields', () => {
  const team = modelId('team');
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

  it.each([
    ['huge', { custom_fields: [{ a: 'x'.repeat(40_000) }] }, '/custom_fields'],
    ['many', { custom_fields: Array.from({ length: 20_000 }, () => ({})) }, '/custom_fields'],
    ['no list', { custom_fields: { a: 1 } }, '/custom_fields'],
    ['no objects', { custom_fields: [7] }, '/custom_fields/0'],
    ['with a NUL', { custom_fields: [{ a: 'a\0b' }] }, '/custom_fields/0/a'],
    ['with a NUL in a name', { custom_fields: [{ 'a\0b': 1 }] }, '/custom_fields/0'],
    ['with half a pair', { custom_fields: [{ a: ['\ud800'] }] }, '/custom_fields/0/a/0'],
    ['nested without end', { custom_fields: [{ a: deep(2_000) }] }, undefined],
    ['beside a field that is none', { custom_field: [] }, '/custom_field'],
    ['beside a description that is too long', { description: 'x'.repeat(10_001) }, '/description'],
    ['beside a description with a NUL', { description: '\0' }, '/description'],
  ])('%s are refused', async (_, body, pointer) => {
    const before = await read('team');
    const answer = await ask('PUT', team, body);
    const { code, errors } = Problem.parse(answer.json());
    expect([answer.status, code]).toEqual([400, 'VALIDATION']);
    if (pointer !== undefined) expect(errors.map((error) => error.pointer)).toContain(pointer);
    expect(await read('team')).toEqual(before);
  });

  it(
    'come back as they were sent, or are refused',
    async () => {
      const fields = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 })), {
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(fields, async (given) => {
          const sent = JSON.parse(JSON.stringify(given)) as unknown;
          const answer = await ask('PUT', team, { custom_fields: sent });
          if (answer.status !== 400) expect([answer.status, answer.json()['custom_fields']]).toEqual([200, sent]);
        }),
        { numRuns: 60 },
      );
    },
    LONG,
  );
});

describe('models that were trained', () => {
  it('trained models name their datasets, without their faults', async () => {
    const model = await fresh();
    const reasons = [{ code: 'few_images' }];
    for (const modelId of [model.id, randomUUID()]) {
      await gateway.db.query(
        `INSERT INTO trainings (id, workspace_id, dataset_id, type, dataset, model_name, config, state, model_id, model_version)
         VALUES ($1, $2, $3, 'face', $4, $5, '{}', $6, $7, 1)`,
        [
          ...[randomUUID(), gateway.workspaceId, randomUUID(), JSON.stringify({ name: 'Cast', issues: { reasons } })],
          ...[model.name, 'completed', modelId],
        ],
      );
    }
    const { json } = await gateway.ask('GET', `/api/v1/models/${model.id}/`);
    expect(json()['versions']).toMatchObject([{ source_dataset: { name: 'Cast', issues: { reasons: [] } } }]);
  });
});
