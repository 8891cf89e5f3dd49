/** @needs weights */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelRepository, runOnPicture, SessionPool, type RgbImage } from '@adit/inference';
import { comparable } from '@adit/inference/families/image-text/similarity';
import { TOKENIZERS } from '@adit/inference/families/text-embedding/tokenizer-thread';
import { z } from 'zod';
import { wordScorer } from './words.js';

const FAMILIES = join(import.meta.dirname, '../../inference/families');
const GOLDEN = join(FAMILIES, 'image-text/golden');
const Golden = z.object({
  ...{ words: z.array(z.string()), template: z.string(), scale: z.number(), bias: z.number() },
  pictures: z.array(
    z.object({
      ...{ width: z.int(), height: z.int(), seed: z.int() },
      ...{ embedding: z.array(z.number()), scores: z.array(z.number()) },
    }),
  ),
});
const Tokenizers = z.record(z.string(), z.object({ tokenizer: z.looseObject({}) }));

let root: string;
let repository: ModelRepository;
let pool: SessionPool;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-words-'));
  await install(
    'clip',
    { resize: 'crop', shorterSide: 36, floorCrop: true, mean: CLIP_MEAN, std: CLIP_STD },
    { length: 77 },
  );
  await install('siglip', { resize: 'stretch', mean: [127.5], std: [127.5] }, { length: 64, pad: 1 });
  repository = await ModelRepository.open({ roots: [root], settleMs: 0 });
  pool = new SessionPool({ onnx: { threads: 1 } });
});
afterAll(async () => {
  await pool?.close();
  await repository?.close();
  await TOKENIZERS.close();
  await rm(root, { recursive: true, force: true });
});

const CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073].map((value) => value * 255);
const CLIP_STD = [0.26862954, 0.26130258, 0.27577711].map((value) => value * 255);

async function goldenOf(kind: string) {
  return Golden.parse(JSON.parse(await readFile(join(GOLDEN, kind, 'scores.json'), 'utf8')));
}

async function install(kind: string, pixels: object, text: object): Promise<void> {
  const { scale, bias, template, pictures } = await goldenOf(kind);
  const dimensions = pictures[0]?.embedding.length;
  const common = { kind: 'network', licence: 'none', origin: 'a spec', dimensions };
  const input = { tensor: 'pixel_values', width: 32, height: 32, filter: 'bicubic', ...pixels };
  const tokenizers = Tokenizers.parse(
    JSON.parse(await readFile(join(FAMILIES, 'text-embedding/golden/tokenizers.json'), 'utf8')),
  );
  for (const [name, graph, manifest] of [
    [kind, 'vision_model', { family: 'image-text', decoding: kind, similarity: { scale, bias }, input }],
    [`${kind}-text`, 'text_model', { family: 'text-embedding', text: { tensor: 'input_ids', template, ...text } }],
  ] as const) {
    await mkdir(join(root, name, '1'), { recursive: true });
    await writeFile(join(root, name, 'model.yaml'), JSON.stringify({ ...common, name, task: 'test', ...manifest }));
    await writeFile(
      join(root, name, '1/model.onnx'),
      gunzipSync(await readFile(join(GOLDEN, kind, `${graph}.onnx.gz`))),
    );
    await writeFile(join(root, name, '1/tokenizer.json'), JSON.stringify(tokenizers[kind]?.tokenizer));
  }
}

/** Draws like `picture` of golden/record.py. */
function waves({ width, height, seed }: { width: number; height: number; seed: number }): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 1; c <= 3; c++) data[at++] = x * (3 + (seed % 5)) + y * (2 + (seed % 7)) * c + seed * 37 * c;
    }
  }
  return { width, height, data };
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [Array.from(a), Array.from(b)];
  return x.reduce((sum, value, i) => sum + value * y[i]!, 0) / (Math.hypot(...x) * Math.hypot(...y));
}

describe.each(['clip', 'siglip'])('an image-text model as PyTorch exports it: %s', (kind) => {
  it("gives PyTorch's results for 20 pictures, with the same scores", async () => {
    const { words, pictures } = await goldenOf(kind);
    expect(pictures.length).toBeGreaterThanOrEqual(20);
    const [seeing, reading] = await Promise.all(
      [kind, `${kind}-text`].map((name) => pool.acquire(repository.resolve(name))),
    );
    const signal = AbortSignal.timeout(60_000);
    const scoresOf = await wordScorer(seeing!.network, reading!.network, { words, presets: false, signal });
    for (const picture of pictures) {
      const outputs = await runOnPicture(seeing!.network, waves(picture), 'whole');
      const seen = comparable(kind, outputs, picture.embedding.length);
      expect(cosine(seen, picture.embedding)).toBeGreaterThanOrEqual(0.999);
      const found = new Map((await scoresOf(waves(picture))).map(({ label, score }) => [label, score]));
      for (const [i, word] of words.entries()) {
        // Scores below 0.05 are not stored.
        expect(Math.abs((found.get(word) ?? 0) - picture.scores[i]!)).toBeLessThan(found.has(word) ? 0.01 : 0.051);
      }
    }
    seeing!.release();
    reading!.release();
  });
});
