/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { zip } from '@adit/contracts';
import { featuresOf } from '@adit/inference/spec-graph';
import { z } from 'zod';
import { cosine, normalise } from '../faces/embedding.js';
import { Patterned, patterned } from '../testing/patterned.js';
import { writtenModels, type WrittenModels } from '../testing/written-models.js';
import { embed } from './embed.js';

const GOLDEN = join(import.meta.dirname, '../../inference/families/classifier/golden');
/** Output before the classifier's head, for each picture. */
const Golden = z.object({ pictures: z.array(Patterned), features: z.array(z.array(z.number())) });
const PIXELS = { width: 48, height: 48, resize: 'crop', shorterSide: 54, filter: 'antialiased' };
const IMAGENET = { mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] };

let models: WrittenModels;

beforeAll(async () => {
  const classifier = gunzipSync(await readFile(join(GOLDEN, 'float32.onnx.gz')));
  const manifest = {
    ...{ name: 'features', kind: 'network', task: 'image-embedding', family: 'embedding', dimensions: 64 },
    ...{ maxDistance: 0.5, input: { tensor: 'input', ...PIXELS, ...IMAGENET } },
    ...{ modules: ['landmark_recognition'], licence: 'none', origin: 'a spec' },
  };
  models = await writtenModels([{ manifest, graph: featuresOf(classifier, 'd', 64, 'golden') }]);
});
afterAll(() => models?.close());

it('a third-party image embedding matches ONNX Runtime in Python for 20 pictures', async () => {
  const { pictures, features } = Golden.parse(JSON.parse(await readFile(join(GOLDEN, 'scores.json'), 'utf8')));
  expect(pictures.length).toBeGreaterThanOrEqual(20);
  const theirs = features.map((values) => normalise(Float32Array.from(values)));
  const lease = await models.pool.acquire(models.repository.resolve('features'));
  try {
    const ours = await Promise.all(pictures.map((picture) => embed(patterned(picture), lease.network)));
    for (const [seen, wanted] of zip(ours, theirs)) expect(cosine(seen, wanted)).toBeGreaterThan(0.9999);
    // Two pictures of one pattern and size may be that similar, no two of different patterns are.
    for (const [at, seen] of ours.entries()) {
      const others = theirs.filter((_, other) => (other - at) % 6 !== 0);
      expect(Math.max(...others.map((other) => cosine(seen, other)))).toBeLessThan(0.999);
    }
  } finally {
    lease.release();
  }
});
