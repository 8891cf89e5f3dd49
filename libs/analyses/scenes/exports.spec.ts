/** @needs weights */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Patterned, patterned } from '../testing/patterned.js';
import { writtenModels, type WrittenModels } from '../testing/written-models.js';
import { classify } from './classify.js';

const GOLDEN = join(import.meta.dirname, '../../inference/families/classifier/golden');
const Golden = z.object({
  labels: z.array(z.string()),
  pictures: z.array(Patterned),
  /** Scores by export, picture and label. */
  scores: z.record(z.string(), z.array(z.array(z.number()))),
});
type Golden = z.infer<typeof Golden>;

const EXPORTS = ['float32', 'int8-qdq', 'int8-qoperator', 'int8-dynamic', 'float16', 'float16-inside'];
/** As `model add` proposes: a model with dynamic ranges would otherwise depend on the other pictures of the batch. */
const MAX_BATCH: Record<string, number> = { 'int8-dynamic': 1 };
const PIXELS = { width: 48, height: 48, resize: 'crop', shorterSide: 54, filter: 'antialiased' };
const IMAGENET = { mean: [123.675, 116.28, 103.53], std: [58.395, 57.12, 57.375] };

let golden: Golden;
let models: WrittenModels;

beforeAll(async () => {
  golden = Golden.parse(JSON.parse(await readFile(join(GOLDEN, 'scores.json'), 'utf8')));
  const exports = EXPORTS.map(async (name) => {
    const graph = gunzipSync(await readFile(join(GOLDEN, `${name}.onnx.gz`)));
    const manifest = {
      ...{ name, kind: 'network', task: 'image-classification', family: 'classifier', decoding: 'softmax' },
      ...{ labels: golden.labels, maxBatch: MAX_BATCH[name] ?? 8, input: { tensor: 'input', ...PIXELS, ...IMAGENET } },
      ...{ modules: ['object_scene_recognition'], licence: 'none', origin: 'a spec' },
    };
    return { manifest, graph };
  });
  models = await writtenModels(await Promise.all(exports));
});
afterAll(() => models?.close());

describe.each(EXPORTS)('a third-party classifier export: %s', (name) => {
  it('matches ONNX Runtime in Python for 20 pictures, also in batches', async () => {
    const { labels, pictures, scores } = golden;
    expect(pictures.length).toBeGreaterThanOrEqual(20);
    const lease = await models.pool.acquire(models.repository.resolve(name));
    try {
      const answers = await Promise.all(pictures.map((picture) => classify(patterned(picture), lease.network)));
      for (const [i, answer] of answers.entries()) {
        const found = new Map(answer.map(({ label, score }) => [label, score]));
        for (const [at, label] of labels.entries()) {
          // Scores below 0.05 are not stored.
          expect(Math.abs((found.get(label) ?? 0) - scores[name]![i]![at]!)).toBeLessThan(
            found.has(label) ? 0.01 : 0.051,
          );
        }
      }
    } finally {
      lease.release();
    }
  });
});
