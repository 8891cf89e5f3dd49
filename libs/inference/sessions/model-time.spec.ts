import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import { linearGraph } from '../graph/spec-graph.js';
import { ModelRepository } from '../repository/model-repository.js';
import type { Row } from '../session.js';
import { floatTensor } from '../tensor.js';
import { addModelTime, withModelTime } from './model-time.js';
import { SessionPool } from './session-pool.js';

let root: string;
let repository: ModelRepository;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-time-'));
  await mkdir(join(root, 'open', '1'), { recursive: true });
  const manifest = { name: 'open', kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', maxBatch: 4 };
  await writeFile(join(root, 'open', 'model.yaml'), dump(manifest));
  await writeFile(join(root, 'open', '1/model.onnx'), linearGraph(2, 2));
  repository = await ModelRepository.open({ roots: [root], settleMs: 20 });
});
afterAll(async () => {
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

const row = (): Row => ({ x: floatTensor(Float32Array.of(1, 2), [2]) });

describe.each([0, 1])('the time of models in %d threads', (workers) => {
  it('is that of the runs, and of a batch each caller has its share of the rows', async () => {
    const batches: [rows: number, seconds: number][] = [];
    const observer = { ran: (_: string, rows: number, seconds: number) => void batches.push([rows, seconds]) };
    const pool = new SessionPool({ onnx: { threads: 1 }, workers, maxBatch: 4, observer });
    const { network, release } = await pool.acquire(repository.resolve('open'));
    const [one, three] = [
      { cpu: 0, gpu: 0 },
      { cpu: 0, gpu: 0 },
    ];
    await Promise.all([
      withModelTime(one, () => network.run(row())),
      withModelTime(three, () => Promise.all([1, 2, 3].map(() => network.run(row())))),
    ]);
    expect(batches.map(([rows]) => rows)).toEqual([4]);
    expect(one.cpu).toBeGreaterThan(0);
    expect(three.cpu / one.cpu).toBeCloseTo(3);
    // Without what the rows waited for.
    expect(one.cpu + three.cpu).toBeLessThanOrEqual(batches[0]?.[1] ?? 0);
    // Nobody counts.
    await network.run(row());
    expect(three.cpu / one.cpu).toBeCloseTo(3);
    release();
    await pool.close();
  });
});

it('keeps the time of GPUs apart', () => {
  const spent = { cpu: 0, gpu: 0 };
  addModelTime(spent, 'cuda', 2);
  addModelTime(spent, 'cpu', 1);
  addModelTime(undefined, 'cpu', 1);
  expect(spent).toEqual({ cpu: 1, gpu: 2 });
});
