/** @needs weights */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { create } from 'tar';
import { unpackModel } from './archive.js';

describe('an archive', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-archive-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('may have a folder named like a graph that contains the graph', async () => {
    const given = join(folder, 'best.onnx');
    await mkdir(given);
    await writeFile(join(given, 'model.onnx'), 'graph');
    await create({ cwd: folder, file: join(folder, 'a.tar') }, ['best.onnx']);
    const unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    const graph = await unpackModel(join(folder, 'a.tar'), unpacked, { maxBytes: 1 << 20, maxEntries: 10 });
    expect(graph).toBe(join(unpacked, 'best.onnx', 'model.onnx'));
  });

  it('with data behind its end, or compressed twice, is refused quickly', async () => {
    const limits = { maxBytes: 1 << 20, maxEntries: 10 };
    await writeFile(join(folder, 'm.onnx'), 'graph');
    await create({ cwd: folder, file: join(folder, 'b.tar') }, ['m.onnx']);
    const tar = await readFile(join(folder, 'b.tar'));
    const unpacked = async (name: string, bytes: Buffer): Promise<string | null> => {
      const into = join(folder, `of-${name}`);
      await mkdir(into);
      await writeFile(join(folder, name), bytes);
      return unpackModel(join(folder, name), into, limits);
    };
    expect(await unpacked('good.tar.gz', gzipSync(tar))).toContain('m.onnx');
    // 64 MiB of zeros are 64 KiB to send.
    const long = gzipSync(Buffer.concat([tar, Buffer.alloc(64 << 20)]));
    await expect(unpacked('long.tar.gz', long)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(unpacked('twice.tar.gz', gzipSync(long))).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});
