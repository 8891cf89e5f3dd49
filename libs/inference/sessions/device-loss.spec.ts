/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { dump } from 'js-yaml';
import { ModelRepository } from '../repository/model-repository.js';
import { THIS_THREAD } from './onnx-graph.js';
import type { PoolObserver } from './pool-observer.js';
import { SessionPool } from './session-pool.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

let root: string;
let repository: ModelRepository;
const row = (a: number, b: number) => ({ x: floatTensor(Float32Array.of(a, b), [2]) });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-device-'));
  for (const name of ['first', 'second', 'another', 'torn']) {
    await mkdir(join(root, name, '1'), { recursive: true });
    const manifest = { name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', maxBatch: 4 };
    await writeFile(join(root, name, 'model.yaml'), dump(manifest));
    await writeFile(join(root, name, '1/model.onnx'), name === 'torn' ? 'no graph' : linearGraph(2, name.length));
  }
  repository = await ModelRepository.open({ roots: [root], settleMs: 20 });
});
afterAll(async () => {
  await repository.close();
  await rm(root, { recursive: true, force: true });
});
afterEach(() => void jest.restoreAllMocks());

/**
 * Simulates CUDA for the pool: graphs run on the CPU, and `fault` returns the driver's error for a load or a run of
 * that many rows of that width; the width of the probe graph is 1.
 */
function pretendCuda(
  fault: (what: 'load' | 'run', rows: number, width: number) => string | null,
  released: () => Promise<void> | void = () => undefined,
): void {
  const { load } = THIS_THREAD;
  jest.spyOn(THIS_THREAD, 'load').mockImplementation(async (model, options) => {
    const failed = fault('load', 0, 0);
    if (failed !== null) throw new Error(failed);
    const graph = await load(model, { ...options, executionProviders: ['cpu'] });
    return {
      ...graph,
      run: async (feeds) => {
        const [rows = 0, width = 0] = feeds[0]?.dims ?? [];
        const reason = fault('run', rows, width);
        if (reason !== null) throw new Error(reason);
        return await graph.run(feeds);
      },
      release: async () => {
        // The probe graph, which is in memory, is not delayed.
        if (typeof model === 'object' && 'form' in model) await released();
        await graph.release();
      },
    };
  });
}

function cudaPool(observer: PoolObserver = {}): SessionPool {
  return new SessionPool({ workers: 0, onnx: { threads: 1, providers: ['cuda'] }, observer });
}

describe('a failing GPU', () => {
  it('is not ready when it is absent, reports why, and blames no model', async () => {
    pretendCuda((what) => (what === 'load' ? 'Failed to load shared library' : null));
    const pool = cudaPool();
    const why = 'The models cannot be run on cuda: A graph cannot be loaded (cuda: Failed to load shared library).';
    await expect(pool.acquire(repository.resolve('first'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: why,
    });
    expect(pool.problem).toBe(why);
    jest.restoreAllMocks();
    pretendCuda(() => null);
    (await pool.acquire(repository.resolve('first'))).release();
    expect([pool.problem, pool.providers]).toEqual([null, ['cuda']]);
    await pool.close();
  });

  it('is not blamed for a corrupt model', async () => {
    pretendCuda(() => null);
    const pool = cudaPool();
    await expect(pool.acquire(repository.resolve('torn'))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(pool.problem).toBeNull();
    await pool.close();
  });

  it('runs rows one by one when there is no memory for all of them, and unloads idle models', async () => {
    pretendCuda((what, rows) => (what === 'run' && rows > 1 ? 'CUDA failure 2: out of memory ; GPU=0' : null));
    const gone: string[] = [];
    const pool = cudaPool({ evicted: (model) => gone.push(model) });
    (await pool.acquire(repository.resolve('second'))).release();
    const { network, release } = await pool.acquire(repository.resolve('first'));
    const answers = await Promise.all([network.run(row(1, 2)), network.run(row(3, 4))]);
    expect(answers.map(({ y }) => [...y!.data])).toEqual([
      [6, 11],
      [16, 21],
    ]);
    expect(gone).toEqual(['second']);
    expect(pool.problem).toBeNull();
    release();
    await pool.close();
  });

  it('defers the work when even a single row does not fit', async () => {
    let full = true;
    pretendCuda((what, rows) =>
      what === 'run' && full && rows > 0 ? 'Failed to allocate memory for requested buffer' : null,
    );
    const pool = cudaPool();
    full = false;
    const { network, release } = await pool.acquire(repository.resolve('first'));
    full = true;
    await expect(network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(pool.problem).toMatch(/Failed to allocate memory/);
    full = false;
    expect([...(await network.run(row(1, 2))).y!.data]).toEqual([6, 11]);
    expect(pool.problem).toBeNull();
    release();
    await pool.close();
  });

  it('that is lost takes all sessions with it: the work is deferred, and they are loaded anew', async () => {
    let lost = false;
    pretendCuda((what) =>
      what === 'run' && lost ? 'CUDA failure 700: an illegal memory access was encountered' : null,
    );
    const events: string[] = [];
    const pool = cudaPool({
      loaded: (model) => events.push(`+${model}`),
      evicted: (model) => events.push(`-${model}`),
      lost: () => events.push('lost'),
    });
    const first = await pool.acquire(repository.resolve('first'));
    const second = await pool.acquire(repository.resolve('second'));
    lost = true;
    await expect(first.network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    lost = false;
    // Work on the old device is deferred as well, however it fails.
    await expect(second.network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    first.release();
    second.release();
    const again = await pool.acquire(repository.resolve('first'));
    expect([...(await again.network.run(row(1, 2))).y!.data]).toEqual([6, 11]);
    expect(events).toEqual(['+first', '+second', '-first', '-second', 'lost', '+first']);
    again.release();
    await pool.close();
  });

  it('that still works has failed because of a row: that row alone fails', async () => {
    let bad = false;
    pretendCuda((what, _, width) =>
      what === 'run' && bad && width === 2 ? 'CUDNN failure 3000: NOT_SUPPORTED' : null,
    );
    const pool = cudaPool();
    const { network, release } = await pool.acquire(repository.resolve('first'));
    bad = true;
    await expect(network.run(row(1, 2))).rejects.toThrow('CUDNN failure 3000');
    expect(pool.problem).toBeNull();
    release();
    await pool.close();
  });

  it('fails the loads in progress when it is lost, and does not wait for them', async () => {
    let lost = false;
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    pretendCuda(
      (what) => (what === 'run' && lost ? 'CUDA failure 700: an illegal memory access was encountered' : null),
      () => gate,
    );
    const size = repository.resolve('first').files.reduce((sum, file) => sum + file.size, 0);
    const onnx = { threads: 1, providers: ['cuda' as const] };
    const pool = new SessionPool({ workers: 0, onnx, maxBytes: 2.5 * size });
    const first = await pool.acquire(repository.resolve('first'));
    (await pool.acquire(repository.resolve('second'))).release();
    // Waits for the space that the second model frees.
    const coming = pool.acquire(repository.resolve('another'));
    lost = true;
    await expect(first.network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    lost = false;
    letGo();
    await expect(coming).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    first.release();
    expect(await pool.tryProviders()).toBe('cuda');
    await pool.close();
  });

  it('is not reported absent by work that started before it returned', async () => {
    let lost = false;
    pretendCuda((what) => (what === 'run' && lost ? 'CUDA failure 999: unknown error' : null));
    const pool = cudaPool();
    const [first, second] = [
      await pool.acquire(repository.resolve('first')),
      await pool.acquire(repository.resolve('second')),
    ];
    lost = true;
    await expect(first.network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    lost = false;
    expect([await pool.tryProviders(), pool.problem]).toEqual(['cuda', null]);
    await expect(second.network.run(row(1, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(pool.problem).toBeNull();
    first.release();
    second.release();
    await pool.close();
  });

  it('keeps nothing of a model that its memory was too small for', async () => {
    let held = 0;
    pretendCuda(
      (what) => {
        if (what === 'load') held++;
        return what === 'run' ? 'Failed to allocate memory for requested buffer' : null;
      },
      () => void held--,
    );
    const pool = cudaPool();
    for (let time = 0; time < 3; time++) {
      await expect(pool.acquire(repository.resolve('first'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
    expect(held).toBe(0);
    await pool.close();
  });

  it('keeps the configured number of bytes of weights', async () => {
    const gone: string[] = [];
    const size = repository.resolve('first').files.reduce((sum, file) => sum + file.size, 0);
    const pool = new SessionPool({
      workers: 1,
      onnx: { threads: 1 },
      maxBytes: 2.5 * size,
      observer: { evicted: (model) => gone.push(model) },
    });
    for (const name of ['first', 'second', 'first', 'another'])
      (await pool.acquire(repository.resolve(name))).release();
    expect(gone).toEqual(['second']);
    expect(pool.size).toBe(2);
    await pool.close();
  });
});
