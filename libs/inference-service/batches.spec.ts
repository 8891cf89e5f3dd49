/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { floatTensor, ModelRepository, type Row } from '@adit/inference';
import { linearGraph } from '@adit/inference/spec-graph';
import { loadConfig, metricsPage } from '@adit/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InferenceConfig } from './config.js';
import { createPool } from './models.module.js';

let root: string;
let repository: ModelRepository;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-batches-'));
  for (const name of ['alone', 'capped', 'waiting']) {
    await mkdir(join(root, name, '1'), { recursive: true });
    const manifest = `name: ${name}\nkind: network\ntask: test\nlicence: MIT\norigin: a spec\nmaxBatch: 8\n`;
    await writeFile(join(root, name, 'model.yaml'), manifest);
    await writeFile(join(root, name, '1/model.onnx'), linearGraph(2, 2));
  }
  repository = await ModelRepository.open({ roots: [root] });
});

afterAll(async () => {
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

const row = (value: number): Row => ({ x: floatTensor(Float32Array.of(value, value), [2]) });

/** Returns the runs of a model and their rows, as the metric counts them, for six rows, concurrent or sequential. */
async function runsOf(model: string, environment: Record<string, string>, inTimeSlices = false) {
  const pool = createPool(loadConfig(InferenceConfig, { ADIT_INFERENCE_WORKERS: '0', ...environment }));
  const { network, release } = await pool.acquire(repository.resolve(model));
  const answers: Promise<Row>[] = [];
  for (const value of [1, 2, 3, 4, 5, 6]) {
    answers.push(network.run(row(value)));
    // Immediate runs have begun by then; timers have not fired, however slow the machine is.
    for (let turn = 0; inTimeSlices && turn < 20; turn += 1) await Promise.resolve();
  }
  await Promise.all(answers);
  release();
  await pool.close();
  const { body: text } = await metricsPage();
  const count = (suffix: string) =>
    Number(new RegExp(`^adit_model_batch_rows_${suffix}\\{model="${model}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  return { runs: count('count'), rows: count('sum') };
}

describe('rows of concurrent callers', () => {
  it('run one by one on a CPU', async () => {
    expect(await runsOf('alone', {})).toEqual({ runs: 6, rows: 6 });
  });

  it('share runs of ADIT_INFERENCE_BATCH rows', async () => {
    expect(await runsOf('capped', { ADIT_INFERENCE_BATCH: '3' })).toEqual({ runs: 2, rows: 6 });
  });

  it('wait ADIT_INFERENCE_BATCH_DELAY_MS for each other', async () => {
    const environment = { ADIT_INFERENCE_BATCH: '8', ADIT_INFERENCE_BATCH_DELAY_MS: '20' };
    expect(await runsOf('waiting', environment, true)).toEqual({ runs: 1, rows: 6 });
  });
});
