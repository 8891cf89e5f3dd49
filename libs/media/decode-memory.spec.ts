/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { FrameSpec, ImageFacts } from '@adit/contracts';
import { chunkMemory, pictureMemory, probeMedia } from './index.js';

const [width, height] = [5000, 4000];
const PIXELS = width * height;
const MEBIBYTE = 2 ** 20;
const NATIVE: FrameSpec = { rate: 1, shorterSide: 'native' };
const SMALL: FrameSpec = { rate: 1, shorterSide: 640 };

describe('the estimated memory of decoding', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-memory-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function memoryOf(name: string, picture: Sharp, specs = [NATIVE]): Promise<number> {
    const path = join(folder, name);
    await writeFile(path, await picture.toBuffer());
    return pictureMemory(path, (await probeMedia(path)).facts as ImageFacts, specs);
  }

  /** @hardening overload: Decoding takes more memory than there is */
  it('of a picture depends on how it is stored, not on its size alone', async () => {
    const grey = sharp({ create: { width, height, channels: 3, background: 'grey' } });
    const rows = await memoryOf('rows.jpg', grey.clone().jpeg());
    expect(rows).toBeLessThan(80 * MEBIBYTE);
    const progressive = await memoryOf('progressive.jpg', grey.clone().jpeg({ progressive: true }));
    expect(progressive - rows).toBeGreaterThan(PIXELS * 2.5);
    const twice = await memoryOf('twice.jpg', grey.clone().jpeg({ progressive: true }), [NATIVE, SMALL]);
    expect(twice - progressive).toBeGreaterThan(PIXELS * 2.5);
    const full = await memoryOf('full.jpg', grey.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }));
    expect(full - rows).toBeGreaterThan(PIXELS * 5.5);
    const turned = await memoryOf('turned.jpg', grey.clone().jpeg().withMetadata({ orientation: 6 }));
    expect(turned - rows).toBeGreaterThan(PIXELS * 2.5);
    const interlaced = await memoryOf('interlaced.png', grey.clone().png({ progressive: true }));
    expect(interlaced).toBeGreaterThan(PIXELS * 3);
    const small = await memoryOf('small.jpg', grey.clone().resize(640).jpeg());
    expect(small).toBeLessThan(40 * MEBIBYTE);
  });

  it('of a chunk depends on the size and depth of its pictures', () => {
    const hd = chunkMemory({ width: 1920, height: 1080, bitDepth: 8 });
    const uhd = chunkMemory({ width: 3840, height: 2160, bitDepth: 8 });
    expect(uhd / hd).toBeGreaterThan(2.5);
    expect(uhd).toBeGreaterThan(500 * MEBIBYTE);
    expect(chunkMemory({ width: 3840, height: 2160, bitDepth: 10 })).toBeGreaterThan(1.8 * uhd);
  });
});
