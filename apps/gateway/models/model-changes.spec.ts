/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { AuditPage, Job, modelId, Problem } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  useModelGateway,
  LONG,
  gateway,
  otherWorkspace,
  reader,
  keyOf,
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
      const theirs = Job.parse((await post({ model: id }, otherWorkspace)).json());
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

      expect((await list(otherWorkspace)).find((model) => model.id === id)).toMatchObject({ custom_fields: [] });
      expect((await post({ model: name }, otherWorkspace)).status).toBe(200);
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
      expect(await chosen(otherWorkspace)).toBeUndefined();
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
