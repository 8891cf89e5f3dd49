/** @needs build */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Job, Model, modelId, Problem } from '@adit/contracts';
import { ApiKeyEntity, JobModuleEntity, WorkspaceEntity } from '@adit/database';
import { ModelRepository } from '@adit/inference';
import {
  answeringGraph,
  detectorGraph,
  OUTSIDE_FACTORS,
  outsideColourGraph,
  sizedDetectorGraph,
} from '@adit/inference/spec-graph';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create as createTar } from 'tar';
import yazl from 'yazl';
import { hashApiKey } from '../auth/api-key.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const LONG = 300_000;
/** Nothing in the graph says what its classes are called. */
const LABELS = Array.from({ length: 80 }, (_, at) => `thing ${at}`).join('\n');
const answers = {
  labels: LABELS,
  colour: 'bgr',
  mean: '103.53,116.28,123.675',
  std: '57.375,57.12,58.395',
  resize: 'letterbox',
};

let gateway: TestGateway;
let base: string;
let folder: string;
const graph = detectorGraph();
/** Keys: of the installation's first key, of an admin, a member and of another workspace's admin. */
let owner: string;
let admin: string;
let member: string;
let stranger: string;

beforeAll(async () => {
  gateway = await startGateway({ maxModelBytes: 32 << 20, refusedBytesPerMinute: 0 });
  await gateway.app.listen(0, '127.0.0.1');
  base = `${await gateway.app.getUrl()}/api/v1/`;
  folder = await mkdtemp(join(tmpdir(), 'adit-new-models-'));
  owner = gateway.key;
  admin = await keyOf(gateway.workspaceId, 'admin');
  member = await keyOf(gateway.workspaceId, 'member');
  stranger = await keyOf(randomUUID(), 'admin');
}, BOOT_MS);
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

async function keyOf(workspaceId: string, role: 'admin' | 'member'): Promise<string> {
  const { manager } = gateway.db;
  const known = await manager.existsBy(WorkspaceEntity, { id: workspaceId });
  if (!known) await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
  const key = `key-${randomUUID()}`;
  const row = { id: randomUUID(), workspaceId, name: 'k', prefix: 'a', hash: hashApiKey(key), role };
  await manager.insert(ApiKeyEntity, row);
  return key;
}

const fresh = () => `m-${randomUUID().slice(0, 8)}`;

async function add(fields: Record<string, string>, file: Buffer | null = graph, key = admin) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== null) form.append('file', new Blob([new Uint8Array(file)]), 'model.onnx');
  const headers = { authorization: `Key ${key}` };
  const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}
/** Files beside the model are sent as curl does with `-F labels=@labels.txt`. */
async function addWithFiles(fields: Record<string, string>, files: Record<string, Buffer>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, bytes] of Object.entries(files))
    form.append(name, new Blob([new Uint8Array(bytes)]), `${name}.txt`);
  const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers: as(admin) });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}
async function added(fields: Record<string, string>, file?: Buffer, key?: string): Promise<Model> {
  const { status, body } = await add(fields, file, key);
  expect([status, body['detail']]).toEqual([200, undefined]);
  return Model.parse(body);
}
const as = (key: string) => ({ authorization: `Key ${key}` });
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

async function zipped(files: Record<string, Buffer | string>, more: { mode?: number } = {}): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name, more);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** The same archive with a path in it that no writer of archives lets through. */
const renamed = (archive: Buffer, from: string, to: string): Buffer =>
  Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1');

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

      expect(await list(stranger)).not.toContain(name);
      for (const method of ['GET', 'DELETE'] as const) {
        expect((await ask(method, `models/${model.id}/`, stranger)).status).toBe(404);
      }
      expect((await ask('POST', `models/${model.id}/versions/1/retire/`, stranger)).status).toBe(404);
      for (const given of [name, model.id, digest]) expect((await post(given, stranger)).status).toBe(400);
      // The name is free there, and means something else.
      const theirs = await added({ name, ...answers, labels: LABELS.replaceAll('thing', 'Ding') }, graph, stranger);
      expect(theirs.id).not.toBe(model.id);
      expect((await pinned(name, stranger)).digest).not.toBe(digest);
      expect((await pinned(name)).digest).toBe(digest);
    },
    LONG,
  );

  it(
    'is everybody’s when the owner of the installation says so',
    async () => {
      const name = fresh();
      for (const key of [admin, stranger]) {
        expect((await add({ name, ...answers, scope: 'installation' }, graph, key)).status).toBe(403);
      }
      expect((await add({ name, ...answers }, graph, member)).status).toBe(403);
      const model = await added({ name, ...answers, scope: 'installation' }, graph, owner);
      expect(model).toMatchObject({ id: modelId(name), scope: 'installation' });
      expect(await list(stranger)).toContain(name);
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
      expect((await fromStorage(url, stranger)).status).toBe(400);
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

describe('a graph whose weights lie beside it, as PyTorch writes it', () => {
  const colours = { labels: 'red\ngreen\nblue', colour: 'rgb', mean: '0', std: '255', resize: 'stretch' };
  const outside = outsideColourGraph(32, 'best.onnx.data');
  /** Parts of a form in that order: field, name of the file, bytes. */
  async function addParts(...parts: [field: string, name: string, bytes: Buffer][]) {
    const form = new FormData();
    const name = fresh();
    for (const [key, value] of Object.entries({ name, family: 'classifier', ...colours })) form.append(key, value);
    for (const [field, file, bytes] of parts) form.append(field, new Blob([new Uint8Array(bytes)]), file);
    const reply = await fetch(`${base}models/`, { method: 'POST', body: form, headers: as(admin) });
    return { name, status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  }
  const graphPart: [string, string, Buffer] = ['file', 'best.onnx', outside];
  const weights = (field = 'data', name = 'best.onnx.data'): [string, string, Buffer] => [field, name, OUTSIDE_FACTORS];

  it.each([
    ['in two fields', [graphPart, weights()]],
    ['whichever comes first', [weights(), graphPart]],
    ['as two files of one field', [weights('file'), graphPart]],
  ])(
    'is a model %s',
    async (_, parts) => {
      const { status, body } = await addParts(...parts);
      expect([status, body['detail']]).toEqual([200, undefined]);
      expect(Model.parse(body)).toMatchObject({ family: 'classifier', labels: ['red', 'green', 'blue'] });
    },
    LONG,
  );

  it(
    'is a model as an archive',
    async () => {
      const archive = await zipped({ 'best/best.onnx': outside, 'best/best.onnx.data': OUTSIDE_FACTORS });
      expect((await addParts(['file', 'best.zip', archive])).status).toBe(200);
    },
    LONG,
  );

  it(
    'is refused without them, with those that lie elsewhere, and beyond the bound of all together',
    async () => {
      const many = Array.from({ length: 33 }, (_, at) => weights('data', `best.${at}.data`));
      const half = Buffer.alloc(17 << 20);
      const refused: [[string, string, Buffer][], number, RegExp, string?][] = [
        [[graphPart], 400, /lies in "best\.onnx\.data", which is missing: .*in the field data/, '/data'],
        [[graphPart, weights('data', 'other.data')], 400, /"best\.onnx\.data", which is missing/, '/data'],
        [[['file', 'a.onnx', outsideColourGraph(32, '../best.onnx.data')], weights()], 400, /outside of the model/],
        [[graphPart, weights(), weights()], 400, /best\.onnx\.data twice/, '/data'],
        [[graphPart, weights('data', '.hidden')], 400, /names ".hidden"/, '/data'],
        [[graphPart, ['file', 'more.onnx', outside], weights()], 400, /2 ONNX files/, '/file'],
        [[weights()], 400, /in the field "file"/, '/file'],
        [[['file', 'best.zip', await zipped({ 'model.onnx': outside })], weights()], 400, /archive .* alone/, '/data'],
        [[graphPart, ...many], 400, /at most 33 files/],
        [
          [
            ['file', 'best.onnx', half],
            ['data', 'best.onnx.data', half],
          ],
          413,
          /at most 33554432 bytes/,
        ],
      ];
      const before = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      for (const [parts, status, message, pointer] of refused) {
        const answer = await addParts(...parts);
        expect([answer.status, answer.body['detail']]).toEqual([status, expect.stringMatching(message)]);
        if (pointer !== undefined) expect(Problem.parse(answer.body).errors).toMatchObject([{ pointer }]);
      }
      expect((await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`))).toEqual(before);
    },
    LONG,
  );
});

describe('an archive', () => {
  it.each(['zip', 'tar', 'tar.gz'])(
    '%s with the labels beside the graph is a model',
    async (kind) => {
      const { labels: _, ...others } = answers;
      const files = { 'best/model.onnx': graph, 'best/labels.txt': LABELS };
      let archive: Buffer;
      if (kind === 'zip') archive = await zipped(files);
      else {
        const at = await mkdtemp(join(folder, 'tar-'));
        await mkdir(join(at, 'best'));
        for (const [path, content] of Object.entries(files)) await writeFile(join(at, path), content);
        const file = join(at, 'a.tar');
        await createTar({ cwd: at, file, gzip: kind === 'tar.gz' }, ['best']);
        archive = await readFile(file);
      }
      expect(await added({ name: fresh(), ...others }, archive)).toMatchObject({
        labels: expect.arrayContaining(['thing 79']),
      });
    },
    LONG,
  );

  it(
    'in Triton’s layout needs no answer that its config.pbtxt gives, and is asked for the others by fields',
    async () => {
      const config = `
        platform: "onnxruntime_onnx"
        max_batch_size: 4
        input { name: "input.1" data_type: TYPE_FP32 format: FORMAT_NCHW dims: [ 3, 320, 320 ] }
        output { name: "output" label_filename: "coco.txt" }
        parameters { key: "colour" value: { string_value: "bgr" } }
        parameters { key: "mean" value: { string_value: "103.53, 116.28, 123.675" } }
        parameters { key: "std" value: { string_value: "57.375, 57.12, 58.395" } }`;
      const files = { 'mine/config.pbtxt': config, 'mine/coco.txt': LABELS, 'mine/1/model.onnx': graph };
      const asked = await add({ name: fresh() }, await zipped(files));
      expect(asked).toMatchObject({ status: 400, body: { errors: [{ pointer: '/resize', code: 'missing' }] } });
      expect(await added({ name: fresh(), resize: 'letterbox' }, await zipped(files))).toMatchObject({
        labels: expect.arrayContaining(['thing 79']),
      });
      const { 'mine/coco.txt': _, ...without } = files;
      const refused = await add({ name: fresh(), resize: 'letterbox' }, await zipped(without));
      expect(refused).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/label_filename "coco.txt"/) },
      });
    },
    LONG,
  );

  it(
    'that is hostile is refused, and leaves nothing behind',
    async () => {
      const links = await mkdtemp(join(folder, 'links-'));
      await symlink('/etc/passwd', join(links, 'model.onnx'));
      await createTar({ cwd: links, file: join(folder, 'links.tar') }, ['model.onnx']);
      const two = await zipped({ 'a.onnx': 'x', 'b.onnx': 'x' });
      const hostile: [Buffer, number, RegExp][] = [
        [renamed(await zipped({ 'aa/model.onnx': 'x' }), 'aa/model.onnx', '../model.onnx'), 400, /archive/],
        [renamed(await zipped({ 'a/model.onnx': 'x' }), 'a/model.onnx', '//model.onnx'), 400, /archive/],
        [await zipped({ 'model.onnx': '/etc/passwd' }, { mode: 0o120777 }), 400, /links and devices/],
        [await readFile(join(folder, 'links.tar')), 400, /links and devices/],
        [await zipped({ 'model.onnx': Buffer.alloc(64 << 20) }), 413, /more than/],
        [await zipped(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, 'x']))), 413, /entries/],
        [await zipped({ 'readme.txt': 'x' }), 400, /holds no ONNX file/],
        [await zipped({ 'model.onnx': graph, 'model.yaml': '# x\n'.repeat(300_000) }), 400, /at most 1048576 are read/],
        [two, 400, /several ONNX files/],
        [(await zipped({ 'model.onnx': randomBytes(200_000) })).subarray(0, 100_000), 400, /cannot be read/],
        [Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4]), 400, /archive/],
        [Buffer.from('what is this'), 400, /./],
        [Buffer.alloc((32 << 20) + 1), 413, /at most/],
      ];
      const before = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      for (const [archive, status, message] of hostile) {
        const { status: answered, body } = await add({ name: fresh(), ...answers }, archive);
        expect([answered, body['detail']]).toEqual([status, expect.stringMatching(message)]);
      }
      const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`adit-model-${process.pid}-`));
      expect(left.filter((name) => !before.includes(name))).toEqual([]);
    },
    LONG,
  );
});
