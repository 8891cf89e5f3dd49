/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { ModelRepository } from '../repository/model-repository.js';
import type { PoolObserver } from './pool-observer.js';
import { SessionPool } from './session-pool.js';
import type { Row } from '../session.js';
import { echoGraph, linearGraph, productGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

let root: string;
let repository: ModelRepository;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-pool-'));
  const models: [string, Buffer][] = [
    ['open', linearGraph(2, 2)],
    ['fixed', linearGraph(2, 3, false)],
    ['third', linearGraph(2, 4)],
    ['product', productGraph(2, 1 + 2 ** -12)],
    ['torn', Buffer.from('no graph')],
  ];
  for (const [name, graph] of models) {
    await mkdir(join(root, name, '1'), { recursive: true });
    await writeFile(
      join(root, name, 'model.yaml'),
      dump({ name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', maxBatch: 4 }),
    );
    await writeFile(join(root, name, '1/model.onnx'), graph);
  }
  repository = await ModelRepository.open({ roots: [root], settleMs: 20 });
});

afterAll(async () => {
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

const row = (a: number, b: number): Row => ({ x: floatTensor(Float32Array.of(a, b), [2]) });

describe('SessionPool', () => {
  it('keeps a network in each requested precision, and in float32 where it has no float16 form', async () => {
    const kept: string[] = [];
    const observer: PoolObserver = { keptInFloat32: (model, reason) => kept.push(`${model}: ${reason}`) };
    const pool = new SessionPool({ onnx: { threads: 1 }, workers: 0, observer });
    const answerOf = async (name: string, precision?: 'float16'): Promise<number[]> => {
      const { network, release } = await pool.acquire(repository.resolve(name), precision);
      const { y } = await network.run(row(1, 2));
      release();
      return [...y!.data].map(Number);
    };
    const weight = 1 + 2 ** -12;
    expect([await answerOf('product'), await answerOf('product', 'float16')]).toEqual([
      [weight, 2 * weight],
      [1, 2],
    ]);
    expect([await answerOf('open', 'float16'), pool.size]).toEqual([[3, 5], 3]);
    expect(kept).toEqual(['open: it has no products in float32']);
    await pool.close();
  });

  it('joins the rows of concurrent callers and removes the batch again', async () => {
    const runs: number[] = [];
    const pool = new SessionPool({
      onnx: { threads: 1 },
      maxBatch: 64,
      observer: { ran: (_, rows) => runs.push(rows) },
    });
    for (const [name, factor] of [
      ['open', 2],
      ['fixed', 3],
    ] as const) {
      const { network, release } = await pool.acquire(repository.resolve(name));
      const answers = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => network.run(row(i, -i))));
      answers.forEach((answer, i) => {
        expect(answer.y!.dims).toEqual([2]);
        expect([...answer.y!.data]).toEqual([i * factor + 1, -i * factor + 1]);
      });
      release();
    }
    // The manifest allows four rows; a graph with a fixed batch takes one.
    expect(runs).toEqual([4, 2, 1, 1, 1, 1, 1, 1]);
    await pool.close();
  });

  it('runs rows one by one on a CPU by default', async () => {
    const runs: number[] = [];
    const pool = new SessionPool({ onnx: { threads: 1 }, observer: { ran: (_, rows) => runs.push(rows) } });
    const { network, release } = await pool.acquire(repository.resolve('open'));
    await Promise.all([network.run(row(1, 2)), network.run(row(3, 4))]);
    release();
    expect(runs).toEqual([1, 1]);
    await pool.close();
  });

  it('lets a row of the wrong size fail alone', async () => {
    const pool = new SessionPool({ onnx: { threads: 1 }, maxBatch: 4 });
    const { network, release } = await pool.acquire(repository.resolve('open'));
    const wrong = { x: floatTensor(Float32Array.of(1, 2, 3), [3]) };
    const [good, bad, alsoGood] = await Promise.allSettled([
      network.run(row(1, 1)),
      network.run(wrong),
      network.run(row(2, 2)),
    ]);
    expect([good.status, bad.status, alsoGood.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    release();
    await pool.close();
  });

  it('loads a model once for many callers, keeps those in use, and unloads the least recently used', async () => {
    const log: string[] = [];
    const inMemory = new Map<string, number>();
    const observer: PoolObserver = {
      loaded: (model, provider) => log.push(`+${model} ${provider}`),
      kept: (model, bytes) => void inMemory.set(model, bytes),
      evicted: (model, bytes) => {
        log.push(`-${model}`);
        if (inMemory.get(model) === bytes) inMemory.delete(model);
      },
    };
    const pool = new SessionPool({ onnx: { threads: 1 }, maxIdle: 1, observer });
    const [first, again] = await Promise.all([
      pool.acquire(repository.resolve('open')),
      pool.acquire(repository.resolve('open')),
    ]);
    expect(first.network).toBe(again.network);
    const second = await pool.acquire(repository.resolve('fixed'));
    const third = await pool.acquire(repository.resolve('third'));
    first.release();
    first.release();
    expect(pool.size).toBe(3);
    second.release();
    third.release();
    expect(log).toEqual(['+open cpu', '+fixed cpu', '+third cpu', '-fixed']);
    expect([...(await again.network.run(row(1, 1))).y!.data]).toEqual([3, 3]);
    again.release();
    expect(log.at(-1)).toBe('-open');
    expect([...inMemory]).toEqual([['third', expect.any(Number)]]);
    expect(pool.size).toBe(1);
    await pool.close();
  });

  it('keeps four idle models with large inputs, whose memory stays allocated', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `large-${name}`);
    for (const [i, name] of names.entries()) {
      await mkdir(join(root, name, '1'), { recursive: true });
      const width = 800 + i;
      const input = { tensor: 'x', width, height: 500, layout: 'nchw', colour: 'rgb' };
      await writeFile(
        join(root, name, 'model.yaml'),
        dump({ name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', input }),
      );
      await writeFile(join(root, name, '1/model.onnx'), echoGraph(['N', 3, 500, width]));
    }
    const large = await ModelRepository.open({ roots: [root] });
    const gone: string[] = [];
    const observer: PoolObserver = { evicted: (model) => gone.push(model) };
    const pool = new SessionPool({ onnx: { threads: 1 }, workers: 0, observer });
    const leases = [];
    for (const name of [...names, 'open', 'third']) leases.push(await pool.acquire(large.resolve(name)));
    expect([pool.size, gone]).toEqual([8, []]);
    for (const { release } of leases) release();
    expect([pool.size, gone]).toEqual([6, ['large-a', 'large-b']]);
    await pool.close();
    await large.close();
  });

  it('reports why a model cannot be loaded and retries next time', async () => {
    const pool = new SessionPool({ onnx: { threads: 1 } });
    await expect(pool.acquire(repository.resolve('torn'))).rejects.toThrow(/cannot be loaded \(cpu: /);
    await writeFile(join(root, 'torn/1/model.onnx'), linearGraph(2, 5));
    const { network, release } = await pool.acquire(repository.resolve('torn'));
    expect([...(await network.run(row(1, 0))).y!.data]).toEqual([6, 1]);
    release();
    await pool.close();
  });

  it('falls back to the next provider and reports it', async () => {
    const fallbacks: string[] = [];
    const pool = new SessionPool({
      onnx: { threads: 1, providers: ['cuda', 'cpu'], onFallback: (from, to) => fallbacks.push(`${from}>${to}`) },
    });
    const { network, release } = await pool.acquire(repository.resolve('open'));
    expect([...(await network.run(row(1, 2))).y!.data]).toEqual([3, 5]);
    expect(fallbacks.length).toBeLessThanOrEqual(1);
    release();
    await pool.close();
  });

  it('answers the same with any number of workers, and with none', async () => {
    for (const workers of [0, 1, 2]) {
      const pool = new SessionPool({ workers, onnx: { threads: 1 } });
      const { network, release } = await pool.acquire(repository.resolve('open'));
      const answers = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => network.run(row(i, -i))));
      expect(answers.map((answer) => [...answer.y!.data])).toEqual(
        [0, 1, 2, 3, 4, 5].map((i) => [2 * i + 1, 1 - 2 * i]),
      );
      release();
      await pool.close();
    }
  });

  it('loads a model anew after its thread died', async () => {
    const pool = new SessionPool({ workers: 2, onnx: { threads: 1 } });
    const before = await pool.acquire(repository.resolve('open'));
    const [thread] = (pool as unknown as { device: { hosts: { worker: Worker }[] } }).device.hosts;
    const exit = new Promise((done) => thread!.worker.once('exit', done));
    // A message that the thread cannot read ends it.
    thread!.worker.postMessage(null);
    await exit;
    expect(pool.size).toBe(0);
    await expect(before.network.run(row(1, 2))).rejects.toMatchObject({ code: 'INTERNAL' });
    before.release();
    const after = await pool.acquire(repository.resolve('open'));
    expect([...(await after.network.run(row(1, 2))).y!.data]).toEqual([3, 5]);
    after.release();
    await pool.close();
  });
});
