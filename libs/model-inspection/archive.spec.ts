import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { unpackModel } from './archive.js';

describe('an archive', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-archive-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('whose folder is called like a graph has the graph in it', async () => {
    const given = join(folder, 'best.onnx');
    await mkdir(given);
    await writeFile(join(given, 'model.onnx'), 'graph');
    await create({ cwd: folder, file: join(folder, 'a.tar') }, ['best.onnx']);
    const unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    const graph = await unpackModel(join(folder, 'a.tar'), unpacked, { maxBytes: 1 << 20, maxEntries: 10 });
    expect(graph).toBe(join(unpacked, 'best.onnx', 'model.onnx'));
  });
});
