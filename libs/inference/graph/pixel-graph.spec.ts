/** @needs weights */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ImageInput } from '@adit/contracts';
import { dump } from 'js-yaml';
import type { Affine } from '../picture/affine.js';
import { ModelRepository } from '../repository/model-repository.js';
import { PIXELS, pixelGraph } from './pixel-graph.js';
import { imageTensor, runOnPicture } from '../picture/preprocess.js';
import { SessionPool } from '../sessions/session-pool.js';
import { echoGraph, outsideColourGraph, typedGraph } from './spec-graph.js';
import { floatsOf } from '../tensor.js';

const SIZE = { tensor: 'x', width: 6, height: 4 };
const INPUTS = {
  planes: { ...SIZE, layout: 'nchw', colour: 'rgb', mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] },
  turned: { ...SIZE, layout: 'nchw', colour: 'bgr', mean: [104, 117, 123] },
  pixels: { ...SIZE, layout: 'nhwc', colour: 'bgr', mean: [127.5], std: [127.5] },
  lines: { ...SIZE, layout: 'nhwc', colour: 'bgr', mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] },
  bare: { ...SIZE, layout: 'nhwc', colour: 'rgb' },
  grey: { ...SIZE, layout: 'nchw', colour: 'grey', std: [255] },
  short: { ...SIZE, layout: 'nchw', colour: 'rgb', mean: [127] },
} as const;
type Name = keyof typeof INPUTS;

const image = { width: 9, height: 7, data: Uint8Array.from({ length: 9 * 7 * 3 }, (_, i) => (i * 37) % 256) };
/** The same pixels, shrunk, and rotated beyond the picture's edge. */
const MAPS: Affine[] = [
  [1, 0, 2, 0, 1, 3],
  [1.5, 0, 0, 0, 1.75, 0],
  [0.8, -0.6, 2, 0.6, 0.8, -1],
];

let root: string;
let repository: ModelRepository;
let pool: SessionPool;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-pixels-'));
  for (const [name, input] of Object.entries(INPUTS)) {
    const channels = input.colour === 'grey' ? 1 : 3;
    const dims = input.layout === 'nchw' ? [channels, 4, 6] : [4, 6, channels];
    await mkdir(join(root, name, '1'), { recursive: true });
    const manifest = { name, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', input };
    await writeFile(join(root, name, 'model.yaml'), dump(manifest));
    await writeFile(join(root, name, '1/model.onnx'), echoGraph([name === 'bare' ? 1 : 'N', ...dims]));
  }
  for (const type of ['float16', 'uint8'] as const) {
    await mkdir(join(root, type, '1'), { recursive: true });
    const input = { ...SIZE, tensor: `${type}_in`, layout: 'nhwc', colour: 'bgr' };
    const manifest = { name: type, kind: 'network', task: 'test', licence: 'MIT', origin: 'a spec', input };
    await writeFile(join(root, type, 'model.yaml'), dump(manifest));
    await writeFile(join(root, type, '1/model.onnx'), typedGraph([type], ['N', 4, 6, 3]));
  }
  repository = await ModelRepository.open({ roots: [root] });
  pool = new SessionPool({ onnx: { threads: 1 } });
});
afterAll(async () => {
  await pool.close();
  await repository.close();
  await rm(root, { recursive: true, force: true });
});

describe('pixelGraph', () => {
  it.each(Object.keys(INPUTS) as Name[])('gives a network the pixels its manifest asks for: %s', async (name) => {
    const { network, release } = await pool.acquire(repository.resolve(name));
    expect(network.runPixels !== undefined).toBe(name !== 'grey');
    for (const map of MAPS) {
      const wanted = imageTensor(image, map, network.manifest.input!);
      for (const { y } of [
        await runOnPicture(network, image, map),
        // The original input is still accepted.
        floatsOf(await network.run({ x: wanted })),
      ]) {
        expect(y!.dims).toEqual(wanted.dims);
        const worst = wanted.data.reduce((most, value, i) => Math.max(most, Math.abs(value - y!.data[i]!)), 0);
        expect(worst).toBeLessThan(1e-4);
      }
    }
    release();
  });

  it.each(['float16', 'uint8'] as const)('gives a network %s where it wants that', async (type) => {
    const { network, release } = await pool.acquire(repository.resolve(type));
    const [map] = MAPS;
    const { data } = imageTensor(image, map!, network.manifest.input!);
    const { [`${type}_float`]: given } = await runOnPicture(network, image, map!);
    expect([...given!.data]).toEqual([...data]);
    release();
  });

  it('keeps the rest of the file', () => {
    const input = ImageInput.parse(INPUTS.planes);
    const graph = pixelGraph(echoGraph(['N', 3, 4, 6]), input)!;
    expect(graph.includes(PIXELS)).toBe(true);
    for (const kept of ['graph', 'Identity', 'y']) expect(graph.includes(kept)).toBe(true);
  });

  it('returns null for graphs that take no batch of pictures in known operators', () => {
    const input = ImageInput.parse(INPUTS.planes);
    expect(pixelGraph(echoGraph(['N', 72]), input)).toBeNull();
    expect(pixelGraph(echoGraph(['N', 3, 4, 6], 6), input)).toBeNull();
    expect(pixelGraph(echoGraph(['N', 3, 4, 6]), { ...input, tensor: 'other' })).toBeNull();
    expect(pixelGraph(Buffer.alloc(0), input)).toBeNull();
    // ONNX Runtime finds external weights only beside a file.
    expect(pixelGraph(outsideColourGraph(8, 'best.onnx.data'), { ...input, width: 8, height: 8 })).toBeNull();
  });

  it('refuses invalid protobuf', () => {
    const input = ImageInput.parse(INPUTS.planes);
    expect(() => pixelGraph(Buffer.from('no graph at all'), input)).toThrow(RangeError);
    expect(() => pixelGraph(echoGraph(['N', 3, 4, 6]).subarray(0, -3), input)).toThrow(RangeError);
  });
});
