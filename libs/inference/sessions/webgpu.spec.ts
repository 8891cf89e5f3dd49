/** @needs weights */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/** A configured Vulkan driver, or the software one that `npm test` fetches. */
const DRIVER =
  process.env.VK_ICD_FILENAMES ?? process.env.ADIT_TEST_VULKAN ?? '/usr/lib/chromium/vk_swiftshader_icd.json';
const there = existsSync(DRIVER);
const title = there
  ? ''
  : ' (skipped: no Vulkan driver; "npm test" fetches one from Debian, else name one in VK_ICD_FILENAMES)';

/**
 * Runs in a separate process: the driver is found by the environment at its start. Gigabytes exceed the buffer limit.
 */
const PROGRAM = `
import { mkdir, writeFile } from 'node:fs/promises';
import { floatTensor, ModelRepository, SessionPool } from './libs/inference/index.ts';
import { hungryGraph, linearGraph, productGraph } from './libs/inference/graph/spec-graph.ts';
const root = process.argv[1];
for (const [name, graph] of [['open', linearGraph(2, 3)], ['hungry', hungryGraph(2 ** 29)], ['product', productGraph(2, 1 + 2 ** -12)]]) {
  await mkdir(root + '/' + name + '/1', { recursive: true });
  await writeFile(root + '/' + name + '/model.yaml', JSON.stringify({ name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', maxBatch: 4 }));
  await writeFile(root + '/' + name + '/1/model.onnx', graph);
}
const repository = await ModelRepository.open({ roots: [root] });
const runs = [];
const pool = new SessionPool({ onnx: { providers: ['webgpu'] }, observer: { ran: (_, rows) => runs.push(rows) } });
const { network, release } = await pool.acquire(repository.resolve('open'));
const run = async (a) => [...(await network.run({ x: floatTensor(Float32Array.of(a, -a), [2]) })).y.data];
const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(run));
const refused = await pool.acquire(repository.resolve('hungry')).then(() => 'nothing', ({ code }) => code);
const after = await run(1);
const half = await pool.acquire(repository.resolve('product'), 'float16');
const inHalf = [...(await half.network.run({ x: floatTensor(Float32Array.of(1, 2), [2]) })).y.data];
half.release();
console.log(JSON.stringify({ inHalf, provider: network.provider, answers, runs: runs.slice(0, 2), refused, after, problem: pool.problem }));
release();
await pool.close();
await repository.close();
`;

(there ? describe : describe.skip)(`WebGPU${title}`, () => {
  it('WebGPU runs rows in batches, and continues after it ran out of memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adit-webgpu-'));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        '--conditions=@adit/source',
        '--import',
        './libs/testing/source-loader.mjs',
        '--input-type=module',
        '-e',
        PROGRAM,
        folder,
      ],
      {
        cwd: join(import.meta.dirname, '../../..'),
        env: {
          ...process.env,
          VK_ICD_FILENAMES: DRIVER,
          // Its loader lies beside it.
          LD_LIBRARY_PATH: [dirname(DRIVER), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
        },
      },
    );
    await rm(folder, { recursive: true, force: true });
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      provider: 'webgpu',
      answers: [0, 1, 2, 3, 4, 5].map((i) => [3 * i + 1, 1 - 3 * i]),
      runs: [4, 2],
      refused: 'UNAVAILABLE',
      after: [4, -2],
      // The software driver has no float16, and rounds.
      inHalf: [1, 2],
      problem: null,
    });
  });
});
