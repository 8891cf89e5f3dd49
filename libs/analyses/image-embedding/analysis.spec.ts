/** @needs ffmpeg, weights */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import type { RgbImage } from '@adit/inference';
import { featuresOf } from '@adit/inference/spec-graph';
import { filmOf, photoOf } from '@adit/testing';
import { cosine } from '../faces/embedding.js';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';
import imageEmbedding from './analysis.js';
import type { ImageEmbeddingObservations } from './observations.js';
import { decodeDirection } from './vector-code.js';

let harness: AnalysisHarness<ImageEmbeddingObservations>;
beforeAll(async () => {
  harness = await AnalysisHarness.open(imageEmbedding);
});
afterAll(async () => {
  await harness.close();
});

const directionOf = async (path: string) => {
  const [{ sampled }] = (await harness.at(path)) as [ImageEmbeddingObservations];
  return decodeDirection(sampled[0]!.embedding);
};

describe('embeddings of photos', () => {
  it('are near each other for one place, and far apart for two', async () => {
    const [front, aside, elsewhere] = await Promise.all([
      directionOf(await photoOf('sunset')),
      directionOf(await photoOf('sunset', { yaw: 15, view: 70, filter: 'eq=brightness=0.05' })),
      directionOf(await photoOf('workshop')),
    ]);
    expect(cosine(front, aside)).toBeGreaterThan(0.55);
    expect(cosine(front, elsewhere)).toBeLessThan(0.35);
  });

  it('name the network, and keep one view with its pictures', async () => {
    const kept = new Map<string, RgbImage>();
    const [seen] = (await harness.at(await photoOf('sunset'), {}, kept)) as [ImageEmbeddingObservations];
    expect(seen).toMatchObject({
      network: harness.repository.resolve('image-embedding').pin.digest,
      dimensions: 1792,
      sampled: [{ frame: 0, time: 0, view: 0 }],
    });
    const [{ thumbnail, picture }] = seen.views as [ImageEmbeddingObservations['views'][number]];
    expect(kept.get(thumbnail.key)).toMatchObject({ width: 160, height: 120 });
    expect(kept.get(picture.key)?.width).toBe(picture.width);
  });
});

describe('embeddings by a third-party network', () => {
  let root: string;
  let theirs: AnalysisHarness<ImageEmbeddingObservations>;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'adit-embedding-'));
    const detector = await readFile(join(OWN_MODELS, 'general-c/1/model.onnx'));
    const input = {
      ...{ tensor: 'input_1', width: 416, height: 416, colour: 'bgr', resize: 'crop', filter: 'bilinear' },
      ...{ mean: [103.53, 116.28, 123.675], std: [57.375, 57.12, 58.395] },
    };
    for (const [name, dimensions] of [
      ['ours', 512],
      ['wrong', 256],
    ] as const) {
      const manifest = { name, kind: 'network', task: 'image-embedding', family: 'embedding', input, dimensions };
      const whose = { maxDistance: 0.36, licence: 'LGPL', origin: 'a spec', modules: ['landmark_recognition'] };
      await mkdir(join(root, name, '1'), { recursive: true });
      // JSON is valid YAML.
      await writeFile(join(root, name, 'model.yaml'), JSON.stringify({ ...manifest, ...whose }));
      await writeFile(join(root, name, '1/model.onnx'), featuresOf(detector, 't166', 512, name));
    }
    theirs = await AnalysisHarness.open(imageEmbedding, [root]);
  });
  afterAll(async () => {
    await theirs?.close();
    await rm(root, { recursive: true, force: true });
  });

  it('are its own, with the pre-processing of its manifest, and need no other network', async () => {
    const directions = await Promise.all(
      [
        await photoOf('sunset'),
        await photoOf('sunset', { yaw: 8, view: 70, filter: 'eq=brightness=0.08' }),
        await photoOf('city'),
      ].map(async (path) => {
        const [seen] = (await theirs.at(path, { embedding: 'ours', side: 600 })) as [ImageEmbeddingObservations];
        expect(seen).toMatchObject({ network: theirs.repository.resolve('ours').pin.digest, dimensions: 512 });
        return decodeDirection(seen.sampled[0]!.embedding);
      }),
    );
    const [front, aside, elsewhere] = directions as [Float32Array, Float32Array, Float32Array];
    expect(cosine(front, aside)).toBeGreaterThan(0.935);
    expect(cosine(front, elsewhere)).toBeLessThan(0.935);
  });

  it('are refused where its output contradicts its manifest', async () => {
    await expect(theirs.at(await photoOf('sunset'), { embedding: 'wrong' })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('The model wrong gives 512 values'),
    });
  });
});

describe('embeddings of films', () => {
  it('are one per second, with a picture per view only, and reproducible', async () => {
    const film = await filmOf([
      { place: 'sunset', seconds: 4 },
      { place: 'workshop', seconds: 4 },
    ]);
    const [seen] = (await harness.at(film)) as [ImageEmbeddingObservations];
    expect(seen.sampled.map(({ frame }) => frame)).toEqual([0, 24, 48, 72, 96, 120, 144, 168]);
    const views = seen.sampled.map(({ view }) => view);
    expect(new Set(views.slice(0, 4)).size + new Set(views.slice(4)).size).toBe(seen.views.length);
    expect(seen.views.length).toBeLessThanOrEqual(4);
    expect(Buffer.byteLength(JSON.stringify(seen))).toBeLessThan(8 * 3_000);
    expect(await harness.at(film)).toEqual([seen]);
  });
});

describe('the arguments of image-embedding', () => {
  it('have defaults and request small frames', () => {
    const args = imageEmbedding.args.parse({});
    expect(imageEmbedding.input.specs(args)).toEqual([{ rate: 1, shorterSide: 256 }]);
    const own = { ...args, embedding: 'ours' };
    expect(imageEmbedding.input.specs(own)).toEqual([{ rate: 1, shorterSide: 600 }]);
    expect(imageEmbedding.input.specs({ ...own, side: 700 })).toEqual([
      { rate: 1, shorterSide: 700, images: 'native' },
    ]);
  });

  it.each([{ rate: 0 }, { rate: 61 }, { side: 0.5 }, { embedding: '' }])('refuse %j', async (args) => {
    await expect(harness.at(await photoOf('sunset'), args)).rejects.toThrow(AditError);
  });
});
