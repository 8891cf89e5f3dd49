/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decodeImageFile } from '@adit/media';
import { mobileFace } from '@adit/models/testing/mobile-face';
import { sampleMedia } from '@adit/testing';
import { z } from 'zod';
import { embedAs, insightFaceMap } from './align.js';
import { cosine, normalise } from './embedding.js';
import { writtenModels, type WrittenModels } from '../testing/written-models.js';

const GOLDEN = join(import.meta.dirname, '../../inference/families/face-embedding/golden/embeddings.json');
const Point = z.tuple([z.number(), z.number()]);
const Golden = z.array(
  z.object({
    ...{ kind: z.enum(['faces', 'groups']), name: z.string() },
    ...{ points: z.array(Point).length(5), embedding: z.string() },
  }),
);

let models: WrittenModels;
beforeAll(async () => {
  const manifest = {
    ...{ name: 'ours', kind: 'network', task: 'face-embedding', family: 'face-embedding', decoding: 'arcface' },
    ...{ dimensions: 256, maxDistance: 1.1, licence: 'none', origin: 'a spec' },
    input: { tensor: 'data', width: 112, height: 112, layout: 'nhwc' },
  };
  models = await writtenModels([{ manifest, graph: await mobileFace('ours') }]);
});
afterAll(() => models?.close());

it('a third-party face embedding matches InsightFace’s alignment and ONNX Runtime in Python for 28 faces', async () => {
  const faces = Golden.parse(JSON.parse(await readFile(GOLDEN, 'utf8')));
  expect(faces.length).toBeGreaterThanOrEqual(20);
  const media = sampleMedia();
  const lease = await models.pool.acquire(models.repository.resolve('ours'));
  try {
    for (const { kind, name, points, embedding } of faces) {
      const picture = await decodeImageFile(media[kind][name]!);
      // InsightFace counts from the centre of the first pixel, Adit from its corner.
      const places = points.map(([x, y]): [number, number] => [x + 0.5, y + 0.5]);
      const own = await embedAs(lease.network, picture, insightFaceMap(places));
      const wanted = normalise(embedding.split(' ').map(Number));
      expect(own).toHaveLength(wanted.length);
      expect(cosine(own, wanted)).toBeGreaterThanOrEqual(0.999);
    }
  } finally {
    lease.release();
  }
});
