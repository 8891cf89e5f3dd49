/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Device } from './device.js';
import { ModelRepository } from '../repository/model-repository.js';
import type { OnnxSession } from './onnx-session.js';
import { SessionPool } from './session-pool.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatTensor } from '../tensor.js';

const MODELS = 12;
/** Number of models that fit into memory. */
const HELD = 3;
/** Concurrent jobs, each with its own models. */
const JOBS = 4;
const RUNS = 30;

describe('more models than memory', () => {
  let root: string;
  let repository: ModelRepository;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-budget-'));
    for (let at = 0; at < MODELS; at += 1) {
      await mkdir(join(root, `m${at}`, '1'), { recursive: true });
      const manifest = `name: m${at}\nkind: network\ntask: test\nlicence: MIT\norigin: a spec\n`;
      await writeFile(join(root, `m${at}`, 'model.yaml'), manifest);
      await writeFile(join(root, `m${at}`, '1/model.onnx'), linearGraph(2, at + 1));
    }
    repository = await ModelRepository.open({ roots: [root], settleMs: 0 });
  });
  afterAll(async () => {
    await repository?.close();
    await rm(root, { recursive: true, force: true });
  });

  it('are loaded on demand: concurrent jobs over all of them finish with their own answers, within the memory', async () => {
    const size = Math.max(
      ...repository.list().map(({ files }) => files.reduce((sum, { size: bytes }) => sum + bytes, 0)),
    );
    const workers = 2;
    let [bytes, most, loads, evictions] = [0, 0, 0, 0];
    const pool = new SessionPool({
      workers,
      onnx: { threads: 1 },
      maxBytes: HELD * workers * size,
      observer: {
        kept: (_, taken) => {
          loads += 1;
          bytes += taken;
          most = Math.max(most, bytes);
        },
        evicted: (_, taken) => {
          evictions += 1;
          bytes -= taken;
        },
      },
    });
    await Promise.all(
      Array.from({ length: JOBS }, async (_, job) => {
        for (let run = 0; run < RUNS; run += 1) {
          const at = (job * 5 + run * 7) % MODELS;
          const { network, release } = await pool.acquire(repository.resolve(`m${at}`));
          const { y } = await network.run({ x: floatTensor(Float32Array.of(run, job), [2]) });
          expect([...y!.data]).toEqual([run * (at + 1) + 1, job * (at + 1) + 1]);
          release();
        }
      }),
    );
    // Models in use are never unloaded: each concurrent job may hold one more.
    expect(most).toBeLessThanOrEqual((HELD + JOBS) * workers * size);
    expect(bytes).toBeLessThanOrEqual(HELD * workers * size);
    expect(pool.size).toBeLessThanOrEqual(HELD);
    expect(loads - evictions).toBe(pool.size);
    expect(loads).toBeGreaterThan(MODELS);
    await pool.close();
  });
});

describe('loading models', () => {
  const holder = {
    ...{ providers: () => [], evictAll: () => [], evictIdle: () => Promise.resolve() },
    ...{ forgetAll: () => undefined, lost: () => undefined },
  };

  /** Returns the most places in which two models were loaded at the same time. */
  async function maxConcurrency(device: Device): Promise<number> {
    let [loading, most] = [0, 0];
    const load = async () => {
      loading += 1;
      most = Math.max(most, loading);
      await new Promise((resolve) => setTimeout(resolve, 5));
      loading -= 1;
      return { session: { release: () => Promise.resolve() } as OnnxSession, era: device.era };
    };
    await Promise.all([device.load(device.era, load), device.load(device.era, load)]);
    return most;
  }

  it('uses all threads while nothing runs, and one at a time while something does', async () => {
    const device = new Device({ workers: 3 }, holder);
    expect(await maxConcurrency(device)).toBeGreaterThanOrEqual(3);
    let end!: () => void;
    const held = new Promise<void>((resolve) => (end = resolve));
    const running = device.run({ session: { provider: 'cpu' } as OnnxSession, era: device.era }, false, () => held);
    expect(await maxConcurrency(device)).toBe(1);
    end();
    await running;
    expect(await maxConcurrency(device)).toBeGreaterThanOrEqual(3);
    await device.close();
  });

  it('leaves nothing in the other places when one fails', async () => {
    const device = new Device({ workers: 3 }, holder);
    let released = 0;
    let at = 0;
    const load = () => {
      at += 1;
      if (at === 2) return Promise.reject(new Error('no room'));
      return Promise.resolve({
        session: { release: () => Promise.resolve(void (released += 1)) } as OnnxSession,
        era: device.era,
      });
    };
    await expect(device.load(device.era, load)).rejects.toThrow('no room');
    expect(released).toBe(2);
    await device.close();
  });
});
