/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linearGraph, productGraph } from '@adit/inference/spec-graph';
import { expect, it } from '@jest/globals';
import { memoryFinding, providerFindings, pulledModels, usedDisk } from './doctor-checks.js';
import { precisionFindings } from './doctor-precision.js';

const GIB = 1024 ** 3;

it('reads the limit of a control group of either version, and does without one', () => {
  const machine = 64 * GIB;
  expect(memoryFinding({ limit: GIB, machine, available: 0.5 * GIB })).toMatchObject({
    state: 'warning',
    what: 'memory: 0.5 GiB free of 1.0 GiB',
  });
  // Values of version 1 without a limit, and of Node without control groups.
  for (const limit of [2 ** 63 - 4096, 0]) {
    expect(memoryFinding({ limit, machine, available: 40 * GIB })).toEqual({
      state: 'good',
      what: 'memory: 40.0 GiB free of 64.0 GiB',
    });
  }
});

it('says what was not pulled, what it would add and how it comes', async () => {
  const nowhere = { modelRoots: ['/nowhere'], userModels: '/nowhere', inference: { modelsDir: undefined } };
  const findings = await pulledModels(nowhere, '/nowhere');
  expect(findings.map(({ state, what }) => [state, what.split(' ')[0]])).toEqual([
    ['warning', 'whisper-base'],
    ['warning', 'pp-ocrv6'],
    ['warning', 'resemblyzer'],
  ]);
  expect(findings[1]).toMatchObject({
    what: expect.stringContaining('reads captions'),
    advice: expect.stringMatching(/^adit model pull pp-ocrv6 \(Apache-2\.0, 27 MB\)/),
  });
});

it('says that nothing can be run, and why, where the only provider does not work', async () => {
  expect(await providerFindings('model.onnx', ['cuda'])).toEqual([
    {
      state: 'bad',
      what: 'no model can be run (ADIT_PROVIDERS=cuda)',
      advice: expect.stringMatching(/^model\.onnx cannot be loaded \(cuda: /),
    },
  ]);
});

it('names the networks that stay in float32, and refuses float16 on a CPU', async () => {
  const root = await mkdtemp(join(tmpdir(), 'adit-doctor-'));
  const network = async (name: string, graph: Buffer) => {
    const folder = join(root, name);
    await mkdir(folder);
    await writeFile(join(folder, 'model.onnx'), graph);
    return { pin: { name, version: 2, digest: 'a'.repeat(64) }, folder };
  };
  const networks = [await network('sums', linearGraph(2, 3)), await network('products', productGraph(2, 3))];
  const settings = { float16Families: ['face'], providers: ['cuda' as const] };
  expect(await precisionFindings(networks, settings)).toEqual([
    { state: 'good', what: 'networks that can calculate in float16: 1 (ADIT_FLOAT16_FAMILIES=face)' },
    expect.objectContaining({
      state: 'warning',
      what: 'networks that stay in float32 as a whole: 1 (sums version 2: it has no products in float32)',
    }),
  ]);
  expect(await precisionFindings(networks, { ...settings, providers: ['cuda', 'cpu'] })).toMatchObject([
    { state: 'bad' },
  ]);
  expect(await precisionFindings(networks, { ...settings, float16Families: [] })).toEqual([]);
  await rm(root, { recursive: true });
});

it('says what the data folder holds, by kind, and that one that is not there holds nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'adit-doctor-'));
  await mkdir(join(folder, 'objects/objects/storage/w'), { recursive: true });
  await writeFile(join(folder, 'objects/objects/storage/w/film'), Buffer.alloc(3 * 1024 ** 2, 1));
  await mkdir(join(folder, 'work/decoder-here-1'), { recursive: true });
  await writeFile(join(folder, 'work/decoder-here-1/source'), Buffer.alloc(1024 ** 2, 1));
  const said = async (at: string) => (await usedDisk(at)).map(({ state, what }) => `${state}: ${what}`);
  const of = (uploads: number, work: number) =>
    `good: used by the data folder: uploads ${uploads} MiB, jobs 0 MiB, cache 0 MiB, database 0 MiB, work ${work} MiB`;
  expect(await said(folder)).toEqual([of(3, 1)]);
  expect(await said(join(folder, 'none'))).toEqual([of(0, 0)]);
  await rm(folder, { recursive: true });
});
