/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelRepository } from '../repository/model-repository.js';
import { runOnPicture } from '../picture/preprocess.js';
import { SessionPool } from '../sessions/session-pool.js';
import { onePictureGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

const SIDE = 8;
const MANIFEST = `
name: one
kind: network
task: test
licence: MIT
origin: a spec
maxBatch: 8
input: { tensor: x, width: ${SIDE}, height: ${SIDE}, batch: false, mean: [10], std: [2] }
`;

describe('a graph that takes one picture without a batch', () => {
  let root: string;
  let repository: ModelRepository;
  const pool = new SessionPool({ onnx: { threads: 1 }, maxBatch: 8 });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-one-'));
    await mkdir(join(root, 'one/1'), { recursive: true });
    await writeFile(join(root, 'one/model.yaml'), MANIFEST);
    await writeFile(join(root, 'one/1/model.onnx'), onePictureGraph(SIDE));
    repository = await ModelRepository.open({ roots: [root], settleMs: 0 });
  });
  afterAll(async () => {
    await pool.close();
    await repository?.close();
    await rm(root, { recursive: true, force: true });
  });

  it('is checked, and infers pictures one by one, with the dimensions of its outputs', async () => {
    const model = repository.resolve('one');
    await pool.check(model, async (run) => {
      const { y } = await run({ x: floatTensor(new Float32Array(3 * SIDE * SIDE).fill(4), [3, SIDE, SIDE]) });
      expect([y!.dims, [...y!.data]]).toEqual([[3], [4, 4, 4]]);
    });
    const { network, release } = await pool.acquire(model);
    const pictures = [0, 20, 40].map((value) => ({
      ...{ width: SIDE, height: SIDE },
      data: Uint8Array.from({ length: 3 * SIDE * SIDE }, (_, at) => value + (at % 3)),
    }));
    const seen = await Promise.all(pictures.map((picture) => runOnPicture(network, picture, 'whole')));
    expect(seen.map(({ y }) => [y!.dims, [...y!.data]])).toEqual(
      [0, 20, 40].map((value) => [[3], [0, 1, 2].map((channel) => (value + channel - 10) / 2)]),
    );
    const wrong = network.run({ x: floatTensor(new Float32Array(SIDE * SIDE), [SIDE, SIDE]) });
    await expect(wrong).rejects.toThrow(/The input x is/);
    release();
  });
});
