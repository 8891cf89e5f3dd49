import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OUTSIDE_FACTORS, outsideColourGraph } from '@adit/inference/spec-graph';
import { unpackModel } from './archive.js';
import { SIDECARS } from './sidecar-files.js';
import { packModel } from './pack.js';

let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'adit-pack-'))));
afterEach(() => rm(root, { recursive: true, force: true }));

/** Writes files, packs the graph among them, and lists the archive. */
async function packed(graph: string, files: Record<string, string | Uint8Array>, external: string[]) {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, 'given', name)), { recursive: true });
    await writeFile(join(root, 'given', name), content);
  }
  await Promise.all(['work', 'unpacked'].map((name) => mkdir(join(root, name))));
  const sizes = external.map((name) => ({ name, size: 1 }));
  const archive = await packModel(join(root, 'given', graph), sizes, join(root, 'work'));
  const unpacked = join(root, 'unpacked');
  expect(await unpackModel(archive, unpacked, { maxBytes: 1 << 20, maxEntries: 20 })).toBe(
    join(unpacked, 'model.onnx'),
  );
  const names = (await readdir(unpacked, { recursive: true })).sort();
  return { names, read: (name: string) => readFile(join(unpacked, name)) };
}

describe('a packed model', () => {
  it("contains the weights that its graph names, exporters' files, and nothing else of its folder", async () => {
    const graph = outsideColourGraph(8, 'best.onnx.data');
    const others = { 'best.pt': 'no', 'last.onnx': 'no', 'data.yaml': 'no', 'runs/1.jpg': 'no' };
    const files = { 'best.onnx': graph, 'best.onnx.data': OUTSIDE_FACTORS, 'labels.txt': 'a\nb\nc', ...others };
    const { names, read } = await packed('best.onnx', files, ['best.onnx.data']);
    expect(names).toEqual(['best.onnx.data', 'labels.txt', 'model.onnx']);
    expect(await read('model.onnx')).toEqual(graph);
    expect(await read('best.onnx.data')).toEqual(OUTSIDE_FACTORS);
  });

  it('contains its model.yaml, also from beside the folder of its version', async () => {
    const { names, read } = await packed('mine/2/model.onnx', { 'mine/2/model.onnx': 'x', 'mine/model.yaml': 'y' }, []);
    expect(names).toEqual(['model.onnx', 'model.yaml']);
    expect(String(await read('model.yaml'))).toBe('y');
  });
});

describe('the Python client', () => {
  it('packs every file that is read here', async () => {
    const source = await readFile(join(import.meta.dirname, '../client-python/adit_client/packing.py'), 'utf8');
    const [, listed = ''] = /^SIDECARS = \(([^)]*)\)/m.exec(source) ?? [];
    const names = [...listed.matchAll(/"([^"]+)"/g)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining([...Object.keys(SIDECARS), 'model.yaml']));
  });
});
