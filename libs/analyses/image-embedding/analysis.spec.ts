/** @jest-environment <rootDir>/models/testing/onnx-environment.mjs */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import type { RgbImage } from '@adit/inference';
import { filmOf, photoOf } from '@adit/testing';
import { cosine } from '../faces/embedding.js';
import { SpecLook } from '../testing/spec-look.js';
import imageEmbedding from './analysis.js';
import type { ImageEmbeddingObservations } from './observations.js';
import { decodeDirection } from './vector-code.js';

let look: SpecLook<ImageEmbeddingObservations>;
beforeAll(async () => {
  look = await SpecLook.open(imageEmbedding);
});
afterAll(async () => {
  await look.close();
});

const directionOf = async (path: string) => {
  const [{ sampled }] = (await look.at(path)) as [ImageEmbeddingObservations];
  return decodeDirection(sampled[0]!.embedding);
};

describe('embeddings of photos', () => {
  it('of one place are near each other, of two places far apart', async () => {
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
    const [seen] = (await look.at(await photoOf('sunset'), {}, kept)) as [ImageEmbeddingObservations];
    expect(seen).toMatchObject({
      network: look.repository.resolve('image-embedding').pin.digest,
      dimensions: 1792,
      sampled: [{ frame: 0, time: 0, view: 0 }],
    });
    const [{ thumbnail, picture }] = seen.views as [ImageEmbeddingObservations['views'][number]];
    expect(kept.get(thumbnail.key)).toMatchObject({ width: 160, height: 120 });
    expect(kept.get(picture.key)?.width).toBe(picture.width);
  });
});

describe('embeddings of films', () => {
  it('are one a second, with a picture for each view alone, and the same twice', async () => {
    const film = await filmOf([
      { place: 'sunset', seconds: 4 },
      { place: 'workshop', seconds: 4 },
    ]);
    const [seen] = (await look.at(film)) as [ImageEmbeddingObservations];
    expect(seen.sampled.map(({ frame }) => frame)).toEqual([0, 24, 48, 72, 96, 120, 144, 168]);
    const views = seen.sampled.map(({ view }) => view);
    expect(new Set(views.slice(0, 4)).size + new Set(views.slice(4)).size).toBe(seen.views.length);
    expect(seen.views.length).toBeLessThanOrEqual(4);
    expect(Buffer.byteLength(JSON.stringify(seen))).toBeLessThan(8 * 3_000);
    expect(await look.at(film)).toEqual([seen]);
  });
});

describe('the arguments of image-embedding', () => {
  it('have defaults and ask for small frames', () => {
    const args = imageEmbedding.args.parse({});
    expect(imageEmbedding.input.specs(args)).toEqual([{ rate: 1, shorterSide: 256 }]);
  });

  it.each([{ rate: 0 }, { rate: 61 }, { side: 600 }])('refuse %j', async (args) => {
    await expect(look.at(await photoOf('sunset'), args)).rejects.toThrow(AditError);
  });
});
