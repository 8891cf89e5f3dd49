/** @needs weights */
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { modelsRoot, readCatalogue, type CatalogueEntry } from '../catalogue.js';
import { packageFolder } from '../package-folder.js';
import { noise, openSession, relativeError, run, type NamedArrays } from '../testing/onnx-run.js';
import { loadTensorFlow, runFaceApi, runGraphModel, runScriptNode } from '../testing/tfjs-reference.js';
import { convert } from './index.js';
import { sizeOf } from './tensor.js';
import { readCentre } from './tfjs-scripts.js';

// Float noise between two implementations; a wrong layout, padding or activation is off by far more.
const TOLERANCE = 1e-4;

async function sourceOf(name: string): Promise<{ entry: CatalogueEntry; folder: string }> {
  const { models } = await readCatalogue(join(modelsRoot(), 'catalogue.yaml'));
  const entry = models.find((model) => model.name === name);
  if (entry === undefined) throw new Error(`${name} is not in the catalogue`);
  return { entry, folder: await packageFolder(entry.package, entry.packageVersion) };
}

function expectAgreement(actual: NamedArrays, expected: NamedArrays): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  for (const [output, values] of Object.entries(expected)) {
    expect(relativeError(actual[output] ?? [], values)).toBeLessThan(TOLERANCE);
  }
}

describe('converted graphs match the original library:', () => {
  it.each([
    { name: 'blazeface', shape: [1, 256, 256, 3], low: -1, high: 1 },
    { name: 'facemesh', shape: [1, 192, 192, 3], low: 0, high: 1 },
    { name: 'face-attributes', shape: [1, 224, 224, 3], low: 0, high: 255 },
    { name: 'general-c', shape: [1, 3, 416, 416], low: -2, high: 2.5 },
  ])('$name under TensorFlow.js', async ({ name, shape, low, high }) => {
    const { entry, folder } = await sourceOf(name);
    const input = noise(sizeOf(shape), low, high);
    const actual = await run(await openSession(await convert(entry, folder)), input, shape);
    expectAgreement(actual, await runGraphModel(await loadTensorFlow(), join(folder, entry.file), input, shape));
  });

  it.each([
    { name: 'face-embedding-dlib', network: 'FaceRecognitionNet', side: 150, only: 'embedding' },
    { name: 'face-age-gender', network: 'AgeGenderNet', side: 112, only: '' },
    { name: 'face-expression', network: 'FaceExpressionNet', side: 112, only: 'expression' },
  ] as const)('$name under face-api.js', async ({ name, network, side, only }) => {
    const { entry, folder } = await sourceOf(name);
    const rows = noise(side * side * 3, 0, 255);
    const actual = await run(await openSession(await convert(entry, folder)), channelsFirst(rows), [1, 3, side, side]);
    expectAgreement(actual, await runFaceApi(network, join(folder, entry.file), rows, [1, side, side, 3], only));
  });
});

describe('a graph from scripts', () => {
  it("gives TensorFlow.js's result for its node, minus the centre", async () => {
    const { entry, folder } = await sourceOf('image-embedding');
    if (entry.recipe !== 'tfjs-scripts') throw new Error(`${entry.name} comes another way`);
    const shape = [1, 224, 224, 3];
    const input = noise(sizeOf(shape), 0, 1);
    const { embedding } = await run(await openSession(await convert(entry, folder)), input, shape);
    const path = join(folder, entry.file);
    const whole = await runScriptNode(await loadTensorFlow(), path, entry.output, input, shape);
    const centre = await readCentre(join(modelsRoot(), entry.centre));
    expect(centre).toHaveLength(1792);
    const expected = whole.map((value, i) => value - (centre[i] ?? NaN));
    expect(relativeError(embedding ?? [], expected)).toBeLessThan(TOLERANCE);
  });
});

function channelsFirst(pixels: Float32Array): Float32Array {
  const area = pixels.length / 3;
  return Float32Array.from(pixels, (_, i) => pixels[(i % area) * 3 + Math.floor(i / area)] ?? 0);
}
