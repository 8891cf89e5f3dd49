/** @needs weights */
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelManifest } from '@adit/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { FileDigests, readModelFolder } from './model-folder.js';
import { readManifest, writeModelVersion } from './model-writer.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-models-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const manifest = ModelManifest.parse({
  name: 'own',
  kind: 'network',
  task: 'object-detection',
  licence: 'private',
  origin: 'a spec',
  modules: ['object_scene_recognition'],
});
const add = (files: Record<string, string>, described: Partial<ModelManifest> = {}) =>
  writeModelVersion(folder, {
    manifest: { ...manifest, ...described },
    weights: 'model.onnx',
    write: async (draft) => {
      for (const [name, content] of Object.entries(files)) await writeFile(join(draft, name), content);
    },
  });
const pins = async () => {
  const { versions } = await readModelFolder({ path: folder, builtIn: false }, 'own', new FileDigests());
  return versions.map(({ pin }) => pin.digest);
};

it('the model writer distinguishes versions by external weights beside the same graph, and refuses unknown file names', async () => {
  await add({ 'model.onnx': 'graph', 'model.onnx.data': 'some weights' });
  await add({ 'model.onnx': 'graph', 'model.onnx.data': 'other weights' });
  const digests = await pins();
  expect(new Set(digests).size).toBe(2);
  await expect(add({ 'model.onnx': 'graph', 'weights.pb': 'more weights' })).rejects.toThrow(
    'weights.pb is not a name',
  );
  expect(await pins()).toEqual(digests);
  expect(await readdir(folder)).toEqual(['own']);
});

it('the model writer loses no versions that are added concurrently', async () => {
  const name = 'crowd';
  const graphs = Array.from({ length: 12 }, (_, at) => `graph ${at}`);
  const added = await Promise.all(graphs.map((graph) => add({ 'model.onnx': graph }, { name })));
  expect(added.map(({ version }) => version).sort((a, b) => a - b)).toEqual(graphs.map((_, at) => at + 1));
  const { sha256 } = (await readManifest(folder, name))!;
  expect(Object.keys(sha256)).toHaveLength(graphs.length);
  const reading = await readModelFolder({ path: folder, builtIn: false }, name, new FileDigests());
  expect([reading.versions.length, reading.problems]).toEqual([graphs.length, []]);
  const meant = (labels: string[]) => add({ 'model.onnx': 'graph' }, { name: 'either', labels });
  const outcomes = await Promise.allSettled([meant(['a']), meant(['b'])]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await readdir(folder)).filter((entry) => entry.startsWith('.'))).toEqual([]);
});

it('the model writer takes over the lock of a dead writer', async () => {
  const lock = join(folder, '.left.lock');
  await writeFile(lock, '1');
  await utimes(lock, new Date(0), new Date(0));
  expect((await add({ 'model.onnx': 'graph' }, { name: 'left' })).version).toBe(1);
});
