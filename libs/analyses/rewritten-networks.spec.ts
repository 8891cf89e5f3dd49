/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelManifest } from '@adit/contracts';
import {
  cpuGraph,
  float16Graph,
  floatTensor,
  ModelRepository,
  OnnxSession,
  type ModelVersion,
  type Row,
} from '@adit/inference';
import { modelsRoot } from '@adit/models';
import { randomOf } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ONE_THREAD = { providers: ['cpu' as const], threads: 1 };
/** Frames of a text line, and pixels of a side that a graph leaves open. */
const OPEN = 96;

/**
 * Largest difference of an output from float32's, as a share of its largest value: ten times the error of one number
 * (2⁻¹¹), and twice the measured one where that is larger.
 */
const TOLERANCE = 0.005;
const MEASURED: Record<string, number> = {
  'face-embedding': 0.015,
  'face-expression': 0.014,
  'face-pose': 0.015,
  facemesh: 0.02,
  'image-embedding': 0.01,
  'text-detection': 0.05,
  'text-recognition': 0.01,
};

/**
 * Limits for a CPU graph: the largest difference, as a share of 1 where nothing is larger; and the bit-identical
 * networks.
 */
const ROUNDING = 1e-5;
const REWRITTEN = {
  exact: ['face-attributes', 'face-embedding', 'ultraface'],
  rounded: ['blazeface', 'facemesh', 'text-detection', 'text-recognition'],
};

let repository: ModelRepository;
beforeAll(async () => {
  repository = await ModelRepository.open({ roots: [modelsRoot()] });
});
afterAll(() => repository.close());

describe('the networks in float16', () => {
  it('answer as in float32 within its precision, in the forms for GPUs and for CPUs', async () => {
    const beyond: string[] = [];
    for (const model of networks()) {
      const file = await readFile(join(model.folder, 'model.onnx'));
      const halves = [float16Graph(file), float16Graph(file, 'rounded')];
      const rows = new Map<string, Row>();
      const full = await outputsOf(file, model, rows);
      for (const [i, half] of halves.entries()) {
        const outputs = await outputsOf(half, model, rows);
        for (const [name, { data }] of Object.entries(full)) {
          const error = relativeError(outputs[name]?.data as Float32Array, data as Float32Array);
          if (!(error < (MEASURED[model.pin.name] ?? TOLERANCE)))
            beyond.push(`${model.pin.name} ${name} ${i === 0 ? 'float16' : 'rounded'}: ${error}`);
        }
      }
    }
    expect(beyond).toEqual([]);
  }, 300_000);
});

describe('the networks for a CPU', () => {
  it('answer as their files do: bit-identical, or up to rounding', async () => {
    const found = { exact: [] as string[], rounded: [] as string[] };
    for (const model of networks()) {
      const file = await readFile(join(model.folder, 'model.onnx'));
      const fast = cpuGraph(file);
      if (fast === null) continue;
      const rows = new Map<string, Row>();
      const full = await outputsOf(file, model, rows);
      const outputs = await outputsOf(fast, model, rows);
      const errors = Object.entries(full).map(([name, { data }]) =>
        relativeError(outputs[name]?.data as Float32Array, data as Float32Array, 1),
      );
      expect(Math.max(...errors)).toBeLessThan(ROUNDING);
      found[errors.every((error) => error === 0) ? 'exact' : 'rounded'].push(model.pin.name);
    }
    expect(found).toEqual(REWRITTEN);
  }, 120_000);
});

function networks(): ModelVersion[] {
  // An earlier version of a network may still be installed.
  const names = new Set(repository.list().map(({ pin }) => pin.name));
  const found = [...names]
    .map((name) => repository.resolve(name))
    .filter(({ manifest }) => manifest.kind === 'network');
  expect(found.length).toBeGreaterThan(15);
  return found.sort((a, b) => (a.pin.name < b.pin.name ? -1 : 1));
}

/** `rows` collects the network's inputs. */
async function outputsOf(graph: Uint8Array, { pin, manifest }: ModelVersion, rows: Map<string, Row>): Promise<Row> {
  let session = await OnnxSession.load(graph, ONE_THREAD);
  // Its frames and its state are no batch.
  const isWhole = session.inputs.some(({ dims }) => Number(dims[0]) > 1);
  if (isWhole) {
    await session.release();
    session = await OnnxSession.load(graph, ONE_THREAD, undefined, true);
  }
  try {
    const row = rows.get(pin.name) ?? rowFor(session, manifest, isWhole);
    rows.set(pin.name, row);
    const [outputs] = await session.run([row]);
    return outputs ?? {};
  } finally {
    await session.release();
  }
}

/** Noise in the range of the manifest's pixels; 0..1 for networks without pictures. */
function rowFor(session: OnnxSession, { input }: ModelManifest, isWhole: boolean): Row {
  const random = randomOf(7);
  return Object.fromEntries(
    session.inputs.map(({ name, dims }) => {
      const shape = dims.slice(isWhole ? 0 : 1).map((dim) => (typeof dim === 'number' && dim > 0 ? dim : OPEN));
      const [mean, std] = [input?.mean[0] ?? 0, input?.std[0] ?? (input ? 1 : 255)];
      const length = shape.reduce((product, dim) => product * dim, 1);
      return [
        name,
        floatTensor(
          Float32Array.from({ length }, () => (random() * 255 - mean) / std),
          shape,
        ),
      ];
    }),
  );
}

// Accessing a global is slow in jest's contexts, so it is looked up once.
const { abs, max } = Math;

function relativeError(actual: Float32Array, expected: Float32Array, leastScale = 0): number {
  let [error, scale] = [0, leastScale];
  for (const [i, value] of expected.entries()) {
    error = max(error, abs((actual[i] ?? 0) - value));
    scale = max(scale, abs(value));
  }
  return error / scale;
}
