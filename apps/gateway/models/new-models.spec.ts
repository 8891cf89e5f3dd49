/** @needs build */
import { Job, Model, modelId, Problem } from '@adit/contracts';
import { JobModuleEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import { answeringGraph, sizedDetectorGraph } from '@adit/inference/spec-graph';
import { describe, expect, it } from '@jest/globals';
import {
  useNewModelGateway,
  LONG,
  LABELS,
  answers,
  gateway,
  base,
  graph,
  owner,
  admin,
  member,
  otherWorkspace,
  fresh,
  add,
  added,
  as,
  zipped,
} from './testing/new-model-gateway.js';

useNewModelGateway();

/** Files beside the model are sent as curl does with `-F labels=@labels.txt`. */
async function addWithFiles(fields: Record<string, string>, files: Record<string, Buffer>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of Object.entries(files))
    form.append(name, new Blob([new Uint8Array(bytes)]), `${name}.txt`);
  const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers: as(admin) });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, key = admin) =>
  gateway.ask(method, `/api/v1/${path}`, undefined, as(key));

const list = async (key = admin) =>
  Model.array()
    .parse((await ask('GET', 'models/', key)).json())
    .map(({ name }) => name);

const post = (model: string, key = admin) =>
  gateway.ask(
    'POST',
    '/api/v1/jobs/',
    { sources: ['https://example.org/a.jpg'], modules: { object_scene_recognition: { model } } },
    as(key),
  );

async function pinned(model: string, key = admin) {
  const answer = await post(model, key);
  expect(answer.status).toBe(200);
  const { id: jobId } = Job.parse(answer.json());
  await gateway.ask('POST', `/api/v1/jobs/${jobId}/stop/`, undefined, as(key));
  const { models } = await gateway.db.manager.findOneByOrFail(JobModuleEntity, { jobId });
  return { jobId, version: models[0]!.version, digest: models[0]!.digest };
}

describe('a model that is posted', () => {
  it(
    'is asked about until everything is known, field by field',
    async () => {
      const { status, body } = await add({ name: fresh() });
      const { errors, detail } = Problem.parse(body);
      expect([status, errors.map(({ pointer }) => pointer)]).toEqual([400, ['/colour', '/mean', '/resize']]);
      expect(detail).not.toContain('--');
      const { labels: _, ...others } = answers;
      const unnamed = Problem.parse((await add({ name: fresh(), ...others })).body);
      expect(unnamed.errors).toMatchObject([{ pointer: '/labels', code: 'missing' }]);
      const few = Problem.parse((await add({ name: fresh(), ...answers, labels: 'a\nb' })).body);
      expect(few.errors).toMatchObject([{ pointer: '/labels', code: 'invalid' }]);
      expect(Problem.parse((await add({ ...answers })).body).errors).toMatchObject([{ pointer: '/name' }]);
      expect(Problem.parse((await add({ name: fresh(), ...answers }, null)).body).errors).toMatchObject([
        { pointer: '/file', code: 'missing' },
      ]);
      expect((await add({ name: 'no/name', ...answers })).status).toBe(400);
      expect((await add({ name: fresh(), ...answers, what: 'x' })).status).toBe(400);
    },
    LONG,
  );

  it(
    'is what the next job of this workspace names, and nobody else’s',
    async () => {
      const name = fresh();
      const model = await added({ name, ...answers, description: 'Ours', changelog: 'the first' });
      expect(model).toMatchObject({
        id: modelId(name, gateway.workspaceId),
        name,
        description: 'Ours',
        type: 'object',
        modules: ['object_scene_recognition'],
        is_public: false,
        scope: 'workspace',
        family: 'detector',
        labels: expect.arrayContaining(['thing 79']),
        default_version: 1,
        versions: [{ version_number: 1, changelog: 'the first', metrics: { run_seconds: expect.any(Number) } }],
      });
      expect(model.labels?.[3]).toBe('thing 3');
      expect(await list()).toContain(name);
      const { digest } = await pinned(name);
      expect(digest).toBe(model.latest_version.digest);
      expect((await pinned(model.id)).digest).toBe(digest);

      expect(await list(otherWorkspace)).not.toContain(name);
      for (const method of ['GET', 'DELETE'] as const) {
        expect((await ask(method, `models/${model.id}/`, otherWorkspace)).status).toBe(404);
      }
      expect((await ask('POST', `models/${model.id}/versions/1/retire/`, otherWorkspace)).status).toBe(404);
      for (const given of [name, model.id, digest]) expect((await post(given, otherWorkspace)).status).toBe(400);
      // The name is free there, and means something else.
      const theirs = await added(
        { name, ...answers, labels: LABELS.replaceAll('thing', 'Ding') },
        graph,
        otherWorkspace,
      );
      expect(theirs.id).not.toBe(model.id);
      expect((await pinned(name, otherWorkspace)).digest).not.toBe(digest);
      expect((await pinned(name)).digest).toBe(digest);
    },
    LONG,
  );

  it(
    'is everybody’s when the owner of the installation says so',
    async () => {
      const name = fresh();
      for (const key of [admin, otherWorkspace]) {
        expect((await add({ name, ...answers, scope: 'installation' }, graph, key)).status).toBe(403);
      }
      expect((await add({ name, ...answers }, graph, member)).status).toBe(403);
      const model = await added({ name, ...answers, scope: 'installation' }, graph, owner);
      expect(model).toMatchObject({ id: modelId(name), scope: 'installation' });
      expect(await list(otherWorkspace)).toContain(name);
      expect((await ask('POST', `models/${model.id}/versions/1/retire/`)).status).toBe(403);
      expect((await add({ name, ...answers })).status).toBe(409);
      expect((await add({ name: 'general-c', ...answers }, graph, owner)).status).toBe(409);
      expect((await ask('POST', `models/${modelId('general-c')}/versions/1/promote/`, owner)).status).toBe(409);
    },
    LONG,
  );

  it(
    'has versions that are promoted, rolled back and retired under jobs that keep theirs',
    async () => {
      const name = fresh();
      const labelled = (word: string) => added({ name, ...answers, labels: LABELS.replaceAll('thing', word) });
      const model = await labelled('a');
      const second = await labelled('b');
      expect([second.id, second.default_version, second.versions.length]).toEqual([model.id, 2, 2]);
      expect((await labelled('b')).versions.length).toBe(2);
      const version = (what: string) => ask('POST', `models/${model.id}/versions/${what}/`);
      expect((await pinned(name)).version).toBe(2);
      expect((await pinned(`${name}@1`)).version).toBe(1);
      expect((await version('1/promote')).json()).toMatchObject({ default_version: 1 });
      expect((await pinned(name)).version).toBe(1);
      const { jobId, digest } = await pinned(`${name}@latest`);
      expect((await version('2/retire')).status).toBe(200);
      expect((await post(`${name}@2`)).json()['detail']).toContain(`${name}@2 is not installed: versions are 1`);
      const retried = await gateway.ask('POST', `/api/v1/jobs/${jobId}/retry/`, undefined, as(admin));
      expect(retried.status).toBe(200);
      expect(gateway.app.get(ModelRepository, { strict: false }).byDigest(digest).pin.version).toBe(2);
      await gateway.ask('POST', `/api/v1/jobs/${jobId}/stop/`, undefined, as(admin));
      expect((await version('2/promote')).json()).toMatchObject({ default_version: 2, versions: [{}, {}] });
      expect((await version('7/promote')).status).toBe(404);
      expect((await version('x/promote')).status).toBe(400);
      expect((await ask('DELETE', `models/${model.id}/`)).status).toBe(200);
      expect(await list()).not.toContain(name);
    },
    LONG,
  );

  it(
    'loses nothing when several come at once',
    async () => {
      const name = fresh();
      const both = await Promise.all(
        ['x', 'y'].map((word) => add({ name, ...answers, labels: LABELS.replaceAll('thing', word) })),
      );
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      const id = modelId(name, gateway.workspaceId);
      const { versions } = (await ask('GET', `models/${id}/`)).json<Model>();
      expect(versions.map(({ version_number }) => version_number)).toEqual([1, 2]);
    },
    LONG,
  );

  it(
    'may lie in storage',
    async () => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(graph)]), 'best.onnx');
      const uploaded = await fetch(`${base}storage/?folder=/models`, {
        method: 'POST',
        body: form,
        headers: as(admin),
      });
      const { url } = (await uploaded.json()) as { url: string };
      const name = fresh();
      const fromStorage = (uri: string, key = admin) =>
        gateway.ask('POST', '/api/v1/models/', { file_uri: uri, name, ...answers }, as(key));
      expect((await fromStorage(url)).json()).toMatchObject({ name, labels: expect.arrayContaining(['thing 79']) });
      expect((await fromStorage(url, otherWorkspace)).status).toBe(400);
      expect((await fromStorage('https://example.org/model.onnx')).status).toBe(400);
    },
    LONG,
  );
});

describe('how outputs are read', () => {
  it(
    'is refused by its field where they do not bear it, so that no prediction meets them',
    async () => {
      const wrong = { ...answers, decoding: 'yolox' };
      expect(await add({ name: fresh(), ...wrong })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/decoding', code: 'invalid' }], detail: expect.stringMatching(/as yolox/) },
      });
      const pixels = { labels: 'cat\ndog', colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };
      const parts = answeringGraph(64, [[0.5, 0.5, 0.6, 0.6, 0.9, 1]]);
      const asBoxes = await add({ name: fresh(), ...pixels, decoding: 'boxes' }, parts);
      expect(asBoxes).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/decoding' }], detail: expect.stringMatching(/decoding ultralytics-rtdetr/) },
      });
      const few = await add({ name: fresh(), ...pixels, labels: 'cat', decoding: 'ultralytics-rtdetr' }, parts);
      expect(few).toMatchObject({ status: 400, body: { errors: [{ pointer: '/labels' }] } });
      await added({ name: fresh(), ...pixels, decoding: 'ultralytics-rtdetr' }, parts);
      const sized = await added({ name: fresh(), ...pixels, labels: 'a\nb\nc' }, sizedDetectorGraph(64));
      expect(sized).toMatchObject({ family: 'detector', input: { also: { orig_target_sizes: 'size' } } });
    },
    LONG,
  );
});

describe('labels', () => {
  const { labels: _, ...others } = answers;
  const utf16 = Buffer.from(`\uFEFF${LABELS.replaceAll('\n', '\r\n')}`, 'utf16le');

  it(
    'are read in UTF-16 too, as a file of the form and beside the graph',
    async () => {
      const sent = await addWithFiles({ name: fresh(), ...others }, { labels: utf16, file: graph });
      expect([sent.status, Model.parse(sent.body).labels?.[79]]).toEqual([200, 'thing 79']);
      const archive = await zipped({ 'model.onnx': graph, 'labels.txt': utf16 });
      expect((await added({ name: fresh(), ...others }, archive)).labels?.[79]).toBe('thing 79');
    },
    LONG,
  );

  it(
    'that no encoding explains, or that cannot be stored, are refused',
    async () => {
      const latin = Buffer.from(LABELS.replace('thing 3', 'Stra\xdfe'), 'latin1');
      const asFile = await addWithFiles({ name: fresh(), ...others }, { labels: latin, file: graph });
      expect(asFile).toMatchObject({ status: 400, body: { errors: [{ pointer: '/labels', code: 'invalid' }] } });
      const archive = await zipped({ 'model.onnx': graph, 'labels.txt': latin });
      const beside = await add({ name: fresh(), ...others }, archive);
      expect(beside).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/labels\.txt .* not UTF-8/) },
      });
      const manifest = `name: x\nkind: network\ntask: t\nlicence: l\norigin: "o\\0"\n`;
      const torn = await add(
        { name: fresh(), ...answers },
        await zipped({ 'model.onnx': graph, 'model.yaml': manifest }),
      );
      expect(torn).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/origin of its model\.yaml .* cannot be stored/) },
      });
      const large = { labels: Buffer.alloc((4 << 20) + 1, 'a'), file: graph };
      expect((await addWithFiles({ name: fresh(), ...others }, large)).status).toBe(413);
      const twice = new FormData();
      for (const _ of ['once', 'again']) twice.append('file', new Blob([new Uint8Array(graph)]), 'model.onnx');
      const reply = await fetch(`${base}models/`, { method: 'POST', body: twice, headers: as(admin) });
      expect(reply.status).toBe(400);
    },
    LONG,
  );
});
