import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelManifest } from '@adit/contracts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { FileDigests, readModelFolder } from './model-folder.js';
import { writeModelVersion } from './model-writer.js';

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
const add = (files: Record<string, string>) =>
  writeModelVersion(folder, {
    manifest,
    weights: 'model.onnx',
    write: async (draft) => {
      for (const [name, content] of Object.entries(files)) await writeFile(join(draft, name), content);
    },
  });
const pins = async () => {
  const { versions } = await readModelFolder({ path: folder, builtIn: false }, 'own', new FileDigests());
  return versions.map(({ pin }) => pin.digest);
};

it('tells versions apart whose weights lie beside the same graph, and takes none that it could not', async () => {
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
