/** @needs weights */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withGraph } from './model-file.js';

describe('the graph of what is given', () => {
  let root: string;
  const graphOf = (given: string) => withGraph(join(root, given), (graph) => readFile(graph, 'utf8'));

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-given-'));
    for (const folder of ['triton/2', 'triton/10', 'plain', 'two', 'none', 'face/onnx']) {
      await mkdir(join(root, folder), { recursive: true });
    }
    const files = ['triton/config.pbtxt', 'triton/2/model.onnx', 'triton/10/model.onnx', 'plain/best.onnx'];
    for (const file of [...files, 'two/a.onnx', 'two/b.onnx', 'face/onnx/m.onnx'])
      await writeFile(join(root, file), file);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('the graph is the file, that of the highest version of a folder, or the only one in it', async () => {
    expect(await graphOf('plain/best.onnx')).toBe('plain/best.onnx');
    expect(await graphOf('triton')).toBe('triton/10/model.onnx');
    expect(await graphOf('plain')).toBe('plain/best.onnx');
    expect(await graphOf('face')).toBe('face/onnx/m.onnx');
  });

  it('the graph is refused when nothing says which one it is', async () => {
    await expect(graphOf('two')).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/several/),
    });
    await expect(graphOf('none')).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/neither/),
    });
    await expect(graphOf('missing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
