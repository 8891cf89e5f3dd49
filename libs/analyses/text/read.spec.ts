/** @needs build */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelRepository, SessionPool, type NetworkSession, type RgbImage } from '@adit/inference';
import { decodeImageFile } from '@adit/media';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { pulledModel } from '../testing/pulled-models.js';
import { readLine } from './read.js';
import type { Corners } from './rotated-rect.js';

const golden = join(import.meta.dirname, 'golden');
const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const { lines } = z
  .object({ lines: z.array(z.object({ box: Box, shown: z.string(), read: z.string(), confidence: z.number() })) })
  .parse(JSON.parse(await readFile(join(golden, 'lines.json'), 'utf8')));

const models = await pulledModel('pp-ocrv6');
if ('reason' in models) {
  describe(`pp-ocrv6 (skipped: ${models.reason})`, () => it.skip('all of these tests', () => undefined));
} else {
  describe('pp-ocrv6', () => {
    let pool: SessionPool;
    let network: NetworkSession;
    let picture: RgbImage;
    beforeAll(async () => {
      pool = new SessionPool({ onnx: { threads: 1 } });
      const repository = await ModelRepository.open({ roots: [models.folder] });
      ({ network } = await pool.acquire(repository.resolve('pp-ocrv6')));
      await repository.close();
      picture = await decodeImageFile(join(golden, 'lines.webp'));
    });
    afterAll(() => pool.close());

    it.each(lines)('reads $shown as its own pipeline does', async ({ box: [x, y, w, h], read, confidence }) => {
      const corners: Corners = [
        [x, y],
        [x + w, y],
        [x + w, y + h],
        [x, y + h],
      ];
      const line = await readLine(picture, corners, network, []);
      expect(line?.text).toBe(read);
      expect(Math.abs((line?.confidence ?? 0) - confidence)).toBeLessThan(0.03);
    });

    it('is right except for a mark in two of them, in eight languages', () => {
      expect(lines.filter(({ shown, read }) => shown !== read)).toHaveLength(2);
    });

    it('reads nothing in an empty picture', async () => {
      const grey = { data: new Uint8Array(3 * 320 * 48).fill(90), width: 320, height: 48 };
      const corners: Corners = [
        [0, 0],
        [320, 0],
        [320, 48],
        [0, 48],
      ];
      expect(await readLine(grey, corners, network, [])).toBeNull();
    });
  });
}
