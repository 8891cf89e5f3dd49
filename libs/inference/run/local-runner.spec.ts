/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { dump } from 'js-yaml';
import { z } from 'zod';
import { defineAnalysis, type AnalysisInput } from './analysis.js';
import { AnalysisRunner, type AnalysisRun } from './local-runner.js';
import { ModelRepository } from '../repository/model-repository.js';
import { analysisDigest, AnalysisRegistry } from './registry.js';
import { SessionPool } from '../sessions/session-pool.js';
import { linearGraph } from '../graph/spec-graph.js';
import { floatsOf, floatTensor } from '../tensor.js';

let root: string;
let repository: ModelRepository;
let runner: AnalysisRunner;
const pool = new SessionPool({ onnx: { threads: 1 } });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-runner-'));
  for (const version of [1, 2]) {
    await mkdir(join(root, 'line', String(version)), { recursive: true });
    await writeFile(join(root, 'line', String(version), 'model.onnx'), linearGraph(1, version * 10));
  }
  const manifest = { name: 'line', kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec' };
  await writeFile(join(root, 'line/model.yaml'), dump(manifest));
  repository = await ModelRepository.open({ roots: [root], settleMs: 20 });
  runner = new AnalysisRunner(repository, pool);
});

afterAll(async () => {
  await pool.close();
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

/** Multiplies its argument with the network; its output must be below 100. */
const scale = defineAnalysis({
  name: 'scale',
  family: 'test',
  version: 1,
  args: z.strictObject({ value: z.number().default(2), rate: z.number().default(1) }),
  observations: z.strictObject({ scaled: z.number().max(100) }),
  models: ['line'],
  input: { kind: 'frames', specs: ({ rate }) => [{ rate, shorterSide: 'native' }] },
  analyse: async (_input, { args, networks }) => {
    const outputs = floatsOf(await networks.line!.run({ x: floatTensor(Float32Array.of(args.value), [1]) }));
    return { scaled: outputs.y!.data[0]! };
  },
});

const facts = { kind: 'image', format: 'png', width: 1, height: 1 } as const;
const input: AnalysisInput = {
  kind: 'frames',
  unit: { sourceIndex: 0, mediaDigest: '', facts, kind: 'image' },
  packs: [],
};
const run = (more: Partial<AnalysisRun> = {}): Promise<unknown> =>
  runner.run({
    analysis: AnalysisRegistry.of([scale]).get('scale'),
    args: {},
    input,
    keepPicture: async (key, { width, height }) => ({ key, width, height }),
    ...more,
  });

describe('AnalysisRunner', () => {
  it('fills in defaults and runs the installed default, or the version a job is pinned to', async () => {
    expect(await run()).toEqual({ scaled: 41 });
    expect(await run({ models: [repository.resolve('line', 1).pin] })).toEqual({ scaled: 21 });
    expect(pool.size).toBe(2);
  });

  it('reports the networks that it runs', async () => {
    const reported: string[] = [];
    await run({ onNetwork: ({ name, provider }) => reported.push(`${name} on ${provider}`) });
    expect(reported).toEqual(['line on cpu']);
  });

  it('refuses wrong arguments with a pointer to each', async () => {
    const refused = run({ args: { value: 'much', speed: 1 } });
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(refused).rejects.toMatchObject({
      options: { errors: expect.arrayContaining([expect.objectContaining({ pointer: '/value' })]) },
    });
  });

  it('refuses observations that violate the schema', async () => {
    await expect(run({ args: { value: 50 } })).rejects.toThrow(/scale wrote scaled/);
  });

  it('does not start once aborted, and names a missing model', async () => {
    await expect(run({ signal: AbortSignal.abort(new Error('deleted')) })).rejects.toThrow('deleted');
    const missing = { ...scale, models: ['circle'] };
    await expect(run({ analysis: AnalysisRegistry.of([missing]).get('scale') })).rejects.toThrow(
      /circle is not installed/,
    );
    const gone = { ...repository.resolve('line').pin, digest: '0'.repeat(64) };
    await expect(run({ models: [gone] })).rejects.toThrow(AditError);
  });

  it('identifies equal runs equally and different ones differently', () => {
    const analysis = AnalysisRegistry.of([scale]).get('scale');
    const digest = (args: object, definition = analysis): string => analysisDigest(runner.identify(definition, args));
    expect(digest({})).toBe(digest({ rate: 1, value: 2 }));
    const others = [digest({}), digest({ value: 3 }), digest({ rate: 2 }), digest({}, { ...analysis, version: 2 })];
    expect(new Set(others).size).toBe(4);
  });
});

describe('AnalysisRegistry', () => {
  it('finds the analyses of a folder and refuses one under a wrong name', async () => {
    const folder = join(root, 'analyses');
    await mkdir(join(folder, 'one'), { recursive: true });
    await mkdir(join(folder, 'notes'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'one/analysis.js'), "export default { name: 'one' };");
    const registry = await AnalysisRegistry.scan(folder);
    expect(registry.all().map(({ name }) => name)).toEqual(['one']);
    expect(() => registry.get('two')).toThrow(/no analysis two; there are one/);
    await mkdir(join(folder, 'two'));
    await writeFile(join(folder, 'two/analysis.js'), "export default { name: 'three' };");
    await expect(AnalysisRegistry.scan(folder)).rejects.toThrow(/named two/);
  });
});
