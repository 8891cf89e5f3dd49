/** @needs ffmpeg, weights */
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelManifest } from '@adit/contracts';
import {
  ModelRepository,
  overlap,
  SessionPool,
  writeModelVersion,
  type NetworkSession,
  type RgbImage,
} from '@adit/inference';
import { decodeImageFile } from '@adit/media';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { OWN_MODELS } from '../testing/analysis-harness.js';
import { detectLines } from './detect.js';
import { readLine } from './read.js';
import type { Corners } from './rotated-rect.js';

const golden = join(import.meta.dirname, 'golden');
const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
/** Results of PaddleOCR's own code for the same graphs, from golden/record.py. */
const { pictures, lines } = z
  .object({
    pictures: z.array(
      z.object({
        box: Box,
        lines: z.array(z.object({ corners: z.array(z.tuple([z.number(), z.number()])), score: z.number() })),
      }),
    ),
    lines: z.array(z.object({ box: Box, read: z.string(), confidence: z.number() })),
  })
  .parse(JSON.parse(await readFile(join(golden, 'others.json'), 'utf8')));

let folder: string;
let pool: SessionPool;
let finder: NetworkSession;
let reader: NetworkSession;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-others-'));
  await added('text-detection', 'mine-finder', { family: 'text-detection', decoding: 'db' });
  await added('text-recognition', 'mine', { family: 'text-recognition', decoding: 'ctc' });
  pool = new SessionPool({ onnx: { threads: 1 } });
  const repository = await ModelRepository.open({ roots: [folder], settleMs: 0 });
  ({ network: finder } = await pool.acquire(repository.resolve('mine-finder')));
  ({ network: reader } = await pool.acquire(repository.resolve('mine')));
  await repository.close();
});
afterAll(async () => {
  await pool?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A real graph under another name, as a user's own. */
async function added(of: string, name: string, said: Partial<ModelManifest>): Promise<void> {
  const repository = await ModelRepository.open({ roots: [OWN_MODELS] });
  const { manifest, folder: from } = repository.resolve(of);
  await repository.close();
  const input = { ...manifest.input!, filter: 'bilinear' as const };
  await writeModelVersion(folder, {
    manifest: ModelManifest.parse({ ...manifest, ...said, name, input, sha256: {} }),
    weights: 'model.onnx',
    write: (draft) => copyFile(join(from, 'model.onnx'), join(draft, 'model.onnx')),
  });
}

function upright(points: readonly (readonly [number, number])[]): { x: number; y: number; w: number; h: number } {
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return { x, y, w: Math.max(...across) - x, h: Math.max(...down) - y };
}

function cut({ data, width }: RgbImage, [x, y, w, h]: z.infer<typeof Box>): RgbImage {
  const rows = Array.from({ length: h }, (_, row) => {
    const from = ((y + row) * width + x) * 3;
    return data.subarray(from, from + w * 3);
  });
  return { data: Buffer.concat(rows), width: w, height: h };
}

describe('a third-party text detector', () => {
  it('finds in 20 pictures what PaddleOCR finds with it, at the same places and with the same scores', async () => {
    const sheet = await decodeImageFile(join(golden, 'others.webp'));
    expect(pictures).toHaveLength(20);
    let worst = { overlap: 1, score: 0 };
    for (const { box, lines: wanted } of pictures) {
      const picture = cut(sheet, box);
      const found = await detectLines(picture, finder);
      expect(found).toHaveLength(wanted.length);
      for (const { corners, score } of wanted) {
        const best = found
          .map((line) => {
            const own = line.corners.map(([x, y]): [number, number] => [x * picture.width, y * picture.height]);
            return { common: overlap(upright(own), upright(corners)), score: line.score };
          })
          .reduce((one, other) => (other.common > one.common ? other : one));
        worst = {
          overlap: Math.min(worst.overlap, best.common),
          score: Math.max(worst.score, Math.abs(best.score - score)),
        };
      }
    }
    expect(worst.overlap).toBeGreaterThanOrEqual(0.95);
    expect(worst.score).toBeLessThanOrEqual(0.01);
  }, 300_000);
});

describe('a third-party text recogniser', () => {
  it.each(lines)('reads $read as PaddleOCR does with it', async ({ box: [x, y, w, h], read, confidence }) => {
    const picture = await decodeImageFile(join(golden, 'lines.webp'));
    const corners: Corners = [
      [x, y],
      [x + w, y],
      [x + w, y + h],
      [x, y + h],
    ];
    const line = await readLine(picture, corners, reader, []);
    expect(line?.text).toBe(read.trim());
    expect(Math.abs((line?.confidence ?? 0) - confidence)).toBeLessThanOrEqual(0.01);
  });
});
