/** @needs ffmpeg, weights */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analysisDigest } from '@adit/inference';
import { mobileFace } from '@adit/models/testing/mobile-face';
import faces from './analysis.js';
import { decodeEmbedding, distance } from './embedding.js';
import type { FaceObservations } from './observations.js';
import { OWN_MODELS, AnalysisHarness } from '../testing/analysis-harness.js';
import { useFaceAnalysis, media, single } from './testing/face-photos.js';

useFaceAnalysis();

describe('faces with an additional network of the user', () => {
  const MANIFEST = {
    ...{ name: 'ours', kind: 'network', task: 'face-embedding', family: 'face-embedding', decoding: 'arcface' },
    ...{ dimensions: 256, maxDistance: 1.1, licence: 'private', origin: 'spec' },
    input: { tensor: 'data', width: 112, height: 112, layout: 'nhwc' },
  };
  let folder: string;
  let others: AnalysisHarness<FaceObservations>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-faces-'));
    const graph = await mobileFace('ours');
    const write = async (name: string, input: object) => {
      await mkdir(join(folder, name, '1'), { recursive: true });
      const manifest = { ...MANIFEST, name, input: { ...MANIFEST.input, ...input } };
      await writeFile(join(folder, name, 'model.yaml'), JSON.stringify(manifest));
      await writeFile(join(folder, name, '1/model.onnx'), graph);
    };
    await write('ours', {});
    await write('broken', { mean: [-1e38], std: [1e-38] });
    others = await AnalysisHarness.open(faces, [OWN_MODELS, folder]);
  });
  afterAll(async () => {
    await others?.close();
    await rm(folder, { recursive: true });
  });

  const bothOf = async (path: string): Promise<[own: Float32Array, other: Float32Array]> => {
    const [seen] = await others.at(path, { embedding: 'ours' });
    const view = seen!.tracks[0]!.views[0]!;
    return [decodeEmbedding(view.embedding), decodeEmbedding(view.compared!)];
  };

  it('have embeddings of the same views by it, near for one person and distant for others', async () => {
    const { audrey, cage, franck_02221, franck_04000 } = media.faces;
    const [first, second, ...others] = [
      await bothOf(franck_02221!),
      await bothOf(franck_04000!),
      await bothOf(audrey!),
      await bothOf(cage!),
    ] as const;
    expect(first[0]).toEqual(await single(franck_02221!));
    expect(first[1]).toHaveLength(256);
    expect(Math.hypot(...first[1])).toBeCloseTo(1, 5);
    expect(distance(first[1], second[1])).toBeLessThan(1);
    for (const [, other] of others) expect(distance(first[1], other)).toBeGreaterThan(1.2);
  });

  it('have a digest that includes that network', () => {
    const identify = (args: object) => others.runner.identify(faces, args);
    const [plain, with_] = [identify({}), identify({ embedding: 'ours' })];
    expect(with_.models.map(({ name }) => name)).toEqual([...plain.models.map(({ name }) => name), 'ours']);
    expect(analysisDigest(with_)).not.toBe(analysisDigest(plain));
  });

  it("are refused when the network's output cannot be compared", async () => {
    await expect(others.at(media.faces['audrey']!, { embedding: 'broken' })).rejects.toThrow(
      /broken answers no embedding for a face/,
    );
  });
});
