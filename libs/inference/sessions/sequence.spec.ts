/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { ModelRepository } from '../repository/model-repository.js';
import { SessionPool } from './session-pool.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

let root: string;
let repository: ModelRepository;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-sequence-'));
  for (const [name, factor] of [
    ['double', 2],
    ['triple', 3],
  ] as const) {
    await mkdir(join(root, name, '1'), { recursive: true });
    await writeFile(
      join(root, name, 'model.yaml'),
      dump({ name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec' }),
    );
    await writeFile(join(root, name, '1/model.onnx'), linearGraph(2, factor));
    await writeFile(join(root, name, '1/words.bin'), `words of ${name}`);
  }
  repository = await ModelRepository.open({ roots: [root], settleMs: 20 });
});

afterAll(async () => {
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

describe.each([0, 2])('a sequence, with %d threads for models', (workers) => {
  it('feeds a kept output to the next run, of another network, in the same place', async () => {
    const pool = new SessionPool({ workers, onnx: { threads: 1 } });
    const [double, triple] = [
      await pool.acquire(repository.resolve('double')),
      await pool.acquire(repository.resolve('triple')),
    ];
    const x = floatTensor(Float32Array.of(1, 2, 3, 4), [2, 2]);
    // More sequences than threads run concurrently.
    const answers = await Promise.all(
      [1, 2, 3].map(async (start) => {
        const sequence = double.network.sequence();
        let { kept } = await sequence.run(
          double.network,
          {
            x: floatTensor(
              x.data.map((value) => value * start),
              x.dims,
            ),
          },
          { keep: ['y'] },
        );
        expect(kept['y']?.dims).toEqual([2, 2]);
        for (let i = 0; i < 3; i++) {
          const before = kept;
          ({ kept } = await sequence.run(triple.network, { x: kept['y']! }, { keep: ['y'] }));
          await sequence.drop(Object.values(before));
        }
        const { wanted } = await sequence.run(double.network, { x: kept['y']! }, { wanted: ['y'] });
        await sequence.end();
        await expect(sequence.run(double.network, { x }, { wanted: ['y'] })).rejects.toThrow(/has ended/);
        return [...wanted['y']!.data].map(Number);
      }),
    );
    const through = (value: number): number => 2 * (3 * (3 * (3 * (2 * value + 1) + 1) + 1) + 1) + 1;
    expect(answers).toEqual([1, 2, 3].map((start) => [1, 2, 3, 4].map((value) => through(value * start))));
    double.release();
    triple.release();
    await pool.close();
  });

  it('feeds rows of a kept output, in any order, and refuses unknown ones', async () => {
    const pool = new SessionPool({ workers, onnx: { threads: 1 } });
    const { network, release } = await pool.acquire(repository.resolve('double'));
    const sequence = network.sequence();
    const x = floatTensor(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]);
    const { kept } = await sequence.run(network, { x }, { keep: ['y'] });
    const fed = (rows: number[]) => sequence.run(network, { x: { ...kept['y']!, rows } }, { wanted: ['y'] });
    const rowsOf = async (rows: number[]) => [...(await fed(rows)).wanted['y']!.data].map(Number);
    expect(await rowsOf([2, 0, 0, 1])).toEqual([5, 6, 1, 2, 1, 2, 3, 4].map((value) => 2 * (2 * value + 1) + 1));
    expect(await rowsOf([0, 1])).toEqual([1, 2, 3, 4].map((value) => 2 * (2 * value + 1) + 1));
    // Concurrent runs feed the same input.
    const beside = await Promise.all([0, 1, 2].map((row) => rowsOf([row])));
    expect(beside.flat()).toEqual([1, 2, 3, 4, 5, 6].map((value) => 2 * (2 * value + 1) + 1));
    await expect(fed([3])).rejects.toThrow(/has 3/);
    await expect(fed([-1])).rejects.toThrow(/has 3/);
    await sequence.end();
    release();
    await pool.close();
  });

  it('holds no dropped tensor, and reports inputs that a graph does not accept', async () => {
    const pool = new SessionPool({ workers, onnx: { threads: 1 } });
    const { network, release } = await pool.acquire(repository.resolve('double'));
    const sequence = network.sequence();
    const x = floatTensor(Float32Array.of(1, 2), [1, 2]);
    const { kept } = await sequence.run(network, { x }, { keep: ['y'] });
    await sequence.drop(Object.values(kept));
    await expect(sequence.run(network, { x: kept['y']! }, { wanted: ['y'] })).rejects.toThrow(/dropped/);
    await expect(sequence.run(network, { z: x }, { wanted: ['y'] })).rejects.toThrow(/input 'x'|input.*x/);
    expect(await sequence.run(network, { x }, { wanted: ['y'] })).toMatchObject({ wanted: { y: { dims: [1, 2] } } });
    await sequence.end();
    release();
    await pool.close();
  });

  it('reads the files beside the graph, and no others', async () => {
    const pool = new SessionPool({ workers, onnx: { threads: 1 } });
    const { network, release } = await pool.acquire(repository.resolve('triple'));
    expect((await network.readFile('words.bin')).toString()).toBe('words of triple');
    await expect(network.readFile('../model.yaml')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    release();
    await pool.close();
  });
});
