/** @needs ffmpeg */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp, { type JpegOptions } from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { decodeImage, decodeImageFile, makeThumbnail, openFramePackBuffer, probeMedia } from '../../index.js';

const KINDS: [string, JpegOptions][] = [
  ['baseline', {}],
  ['progressive', { progressive: true }],
  ['without chroma subsampling', { chromaSubsampling: '4:4:4', progressive: true }],
];
const SOS = Buffer.from([0xff, 0xda]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-jpeg-end-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function photo(options: JpegOptions): Promise<Buffer> {
  return sharp(sampleMedia().groups['sample1']).resize({ width: 480 }).jpeg(options).toBuffer();
}

async function mined(bytes: Buffer) {
  const path = join(folder, 'photo.jpg');
  await writeFile(path, bytes);
  const facts = (await probeMedia(path)).facts as ImageFacts;
  const packs = await decodeImage({ path, facts, specs: [{ rate: 1, shorterSide: 'native' }] });
  expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  return (await openFramePackBuffer([...packs.values()][0]!)).picture(0);
}

describe.each(KINDS)('a JPEG without an end marker: %s', (_, options) => {
  it('decodes to the same picture as with the marker', async () => {
    const whole = await photo(options);
    for (const missing of [1, 2]) {
      const cut = whole.subarray(0, whole.length - missing);
      expect(await decodeImageFile(cut)).toEqual(await decodeImageFile(whole));
      expect(await mined(cut)).toMatchObject({ width: 480 });
    }
  });

  it('is refused when some of its pixels are missing too', async () => {
    const whole = await photo(options);
    for (const missing of [3, 8, 200, whole.length / 2]) {
      await expect(mined(whole.subarray(0, whole.length - missing))).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });
});

it('a progressive JPEG that ends between two of its scans is refused', async () => {
  const whole = await photo({ progressive: true });
  for (let at = whole.lastIndexOf(SOS); at > 0; at = whole.lastIndexOf(SOS, at - 1)) {
    await expect(mined(whole.subarray(0, at))).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  }
});
