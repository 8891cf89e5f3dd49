/** @needs weights */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCatalogue } from './catalogue.js';
import { installWeights } from './install.js';
import {
  alignedSquare,
  detectWithBlazeface,
  detectWithUltraface,
  embed,
  landmarks,
  runOnFace,
  type Box,
} from './testing/faces.js';
import { ModelSet, readManifest, shapeOf } from './testing/model-set.js';
import { noise, relativeError } from './testing/onnx-run.js';
import { mean, readPhoto, type Photo, type Point } from './testing/photos.js';

interface Face {
  photo: Photo;
  /** UltraFace's box, BlazeFace's, and the square on eyes and mouth. */
  box: Box;
  blaze: Box & { keypoints: Point[] };
  square: Box;
}

const { models: catalogue } = await readCatalogue();
let folder: string;
let models: ModelSet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-models-'));
  models = new ModelSet(await installWeights({ modelsDir: join(folder, 'models'), cacheDir: join(folder, 'cache') }));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const ofPictures = new Set<string>();
for (const { name } of catalogue) if ((await readManifest(name)).input !== undefined) ofPictures.add(name);

describe.each(catalogue.map(({ name }) => name))('%s', (name) => {
  it('has a manifest that agrees with the catalogue and the graph', async () => {
    const manifest = await readManifest(name);
    const entry = catalogue.find((candidate) => candidate.name === name);
    expect(manifest).toMatchObject({ name, kind: 'network', licence: entry?.licence, origin: entry?.origin });
    expect(manifest.sha256).toEqual({ [String(entry?.version)]: entry?.sha256 });
    const session = await models.session(name);
    // A model without pictures is described in words.
    if (manifest.input === undefined) return;
    const { input } = manifest;
    expect(session.inputNames).toEqual([input.tensor]);
    const [batch, ...axes] = (session.inputMetadata[0] as unknown as { shape: (number | string)[] }).shape;
    expect(typeof batch).toBe('string');
    // The manifest has to define the open axes of a graph.
    expect(axes.map((axis, i) => (typeof axis === 'number' ? axis : shapeOf(input)[i]))).toEqual(shapeOf(input));
  });

  (ofPictures.has(name) ? it : it.skip)('gives each row of a batch what the row gives alone', async () => {
    const input = await models.input(name);
    const size = shapeOf(input).reduce((product, dim) => product * dim, 1);
    const low = (0 - (input.mean[0] ?? 0)) / (input.std[0] ?? 1);
    const high = (255 - (input.mean[0] ?? 0)) / (input.std[0] ?? 1);
    const rows = noise(3 * size, low, high, 7);
    const together = await models.run(name, rows);
    for (let row = 0; row < 3; row += 1) {
      const alone = await models.run(name, rows.slice(row * size, (row + 1) * size));
      for (const [output, values] of Object.entries(alone)) {
        const inBatch = together[output]?.slice(row * values.length, (row + 1) * values.length) ?? [];
        expect(relativeError(inBatch, values)).toBeLessThan(1e-4);
      }
    }
  });
});

describe('networks on photos', () => {
  const SAME_MAN = ['franck_01829.jpg', 'franck_02888.jpg', 'franck_04117.jpg'];
  const OTHERS = ['audrey.jpg', 'SeanConnery.jpg', 'cage.jpg', 'bieber_small.jpg'];
  const faces = new Map<string, Face>();

  beforeAll(async () => {
    for (const name of [...SAME_MAN, ...OTHERS]) {
      const photo = await readPhoto(name);
      const box = await detectWithUltraface(models, photo);
      const blaze = await detectWithBlazeface(models, photo);
      faces.set(name, { photo, box, blaze, square: await alignedSquare(models, photo, box) });
    }
  });

  function face(name: string): Face {
    const found = faces.get(name);
    if (found === undefined) throw new Error(`${name} was not read`);
    return found;
  }

  it('find the same face with both detectors', () => {
    for (const { box, blaze: other } of faces.values()) {
      expect(box.score).toBeGreaterThan(0.95);
      expect(other.score).toBeGreaterThan(0.8);
      expect(distance(box.centre, other.centre)).toBeLessThan(0.25 * box.width);
      expect(other.width / box.width).toBeGreaterThan(0.6);
      expect(other.width / box.width).toBeLessThan(1.6);
    }
  });

  it('put the eyes where the other networks do', async () => {
    for (const { photo, box, blaze } of faces.values()) {
      const points = await landmarks(models, photo, box);
      const [left, right] = [mean(points.slice(36, 42)), mean(points.slice(42, 48))];
      const { keypoints } = blaze;
      const apart = distance(left, right);
      expect(distance(left, keypoints[0] ?? [0, 0])).toBeLessThan(0.25 * apart);
      expect(distance(right, keypoints[1] ?? [0, 0])).toBeLessThan(0.25 * apart);
      const { output_mesh: mesh = [], output_faceflag: flag = [] } = await runOnFace(models, 'facemesh', photo, box, {
        scale: 1.5,
      });
      expect(flag[0]).toBeGreaterThan(0.9);
      // Corners of the left and right eye in MediaPipe's numbering, pixels of the 192×192 crop.
      const pixel = (Math.max(box.width, box.height) * 1.5) / 192;
      const eye = (a: number, b: number): Point => mean([a, b].map((i) => [mesh[3 * i] ?? 0, mesh[3 * i + 1] ?? 0]));
      expect(distance(eye(33, 133), eye(362, 263)) * pixel).toBeGreaterThan(0.75 * apart);
      expect(distance(eye(33, 133), eye(362, 263)) * pixel).toBeLessThan(1.25 * apart);
    }
  });

  // Measured: cosine of the same man >= 0.70, of others <= 0.13; dlib's distance <= 0.45 and >= 0.69.
  it('tell one man from four other people by both embeddings', async () => {
    const cosine = await embeddings(({ photo, box }) => embed(models, photo, box));
    const dlib = await embeddings(async ({ photo, square }) => {
      const { embedding } = await runOnFace(models, 'face-embedding-dlib', photo, square);
      return embedding ?? new Float32Array();
    });
    for (const [a, b] of pairs([...SAME_MAN, ...OTHERS])) {
      const same = SAME_MAN.includes(a) && SAME_MAN.includes(b);
      const sameByCosine = dot(cosine.get(a), cosine.get(b)) > 0.4;
      const sameByDistance = distanceOf(dlib.get(a), dlib.get(b)) < 0.6;
      expect({ a, b, sameByCosine, sameByDistance }).toEqual({ a, b, sameByCosine: same, sameByDistance: same });
    }
  });

  it('recognise a woman, and plausible ages', async () => {
    for (const [name, { photo, square }] of faces) {
      const { age = [], gender = [] } = await runOnFace(models, 'face-age-gender', photo, square);
      const attributes = await runOnFace(models, 'face-attributes', photo, square);
      const years = attributes['age_pred/Softmax']?.reduce((sum, share, year) => sum + share * year, 0);
      const man = name !== 'audrey.jpg';
      const bothSeeAMan = [gender[0], attributes['gender_pred/Sigmoid']?.[0]].map((male) => (male ?? NaN) > 0.5);
      expect({ name, bothSeeAMan }).toEqual({ name, bothSeeAMan: [man, man] });
      const [youngest, oldest] = name === 'SeanConnery.jpg' ? [45, 85] : [12, 45];
      for (const value of [age[0], years]) {
        expect(value).toBeGreaterThan(youngest);
        expect(value).toBeLessThan(oldest);
      }
    }
  });

  it("detect the head's roll when the crop is rotated", async () => {
    for (const { photo, square } of OTHERS.map(face)) {
      const roll = async (angle: number): Promise<number> => {
        const output = await runOnFace(models, 'face-pose', photo, square, { angle });
        return degrees(output['618']);
      };
      // A crop rotated clockwise shows the head rotated the other way.
      const turned = (await roll(-15)) - (await roll(15));
      expect(turned).toBeGreaterThan(24);
      expect(turned).toBeLessThan(36);
    }
  });

  async function embeddings(of: (face: Face) => Promise<Float32Array>): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    for (const [name, each] of faces) found.set(name, await of(each));
    return found;
  }
});

function pairs(names: readonly string[]): [string, string][] {
  return names.flatMap((a, i) => names.slice(i + 1).map((b): [string, string] => [a, b]));
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function dot(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? NaN), 0);
}

function distanceOf(a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - (b[i] ?? NaN)) ** 2, 0));
}

function degrees(logits: Float32Array = new Float32Array()): number {
  const shares = Array.from(logits, Math.exp);
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.reduce((sum, share, bin) => sum + (share / total) * bin * 3, -99);
}
