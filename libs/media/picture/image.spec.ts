/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { cachedMedia, meanDifference, sampleMedia } from '@adit/testing';
import { decodeImage, decodeImageFile, openFramePackBuffer, probeMedia, type RgbImage } from '../index.js';

const CORNERS = { TL: [220, 30, 30], TR: [30, 200, 30], BL: [30, 30, 220], BR: [230, 230, 40] } as const;
type Corner = keyof typeof CORNERS;
let folder: string;
let quadrants: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-image-'));
  const [width, height] = [120, 80];
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const corner = `${y < height / 2 ? 'T' : 'B'}${x < width / 2 ? 'L' : 'R'}` as Corner;
      data.set(CORNERS[corner], (y * width + x) * 3);
    }
  }
  quadrants = await sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function at(image: RgbImage, x: number, y: number): number[] {
  const start = (Math.floor(y * image.height) * image.width + Math.floor(x * image.width)) * 3;
  return [...image.data.subarray(start, start + 3)];
}

function expectColour(actual: number[], expected: readonly number[], tolerance = 12): void {
  expected.forEach((value, i) => expect(Math.abs((actual[i] as number) - value)).toBeLessThanOrEqual(tolerance));
}

async function mined(bytes: Buffer, name: string): Promise<{ facts: ImageFacts; image: RgbImage }> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const { facts } = await probeMedia(path);
  const packs = await decodeImage({ path, facts: facts as ImageFacts, specs: [{ rate: 2, shorterSide: 'native' }] });
  const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
  return { facts: facts as ImageFacts, image: await pack.picture(0) };
}

describe('images', () => {
  it.each([
    [1, 'TL', 'TR'],
    [2, 'TR', 'TL'],
    [3, 'BR', 'BL'],
    [4, 'BL', 'BR'],
    [5, 'TL', 'BL'],
    [6, 'BL', 'TL'],
    [7, 'BR', 'TR'],
    [8, 'TR', 'BR'],
  ] as [number, Corner, Corner][])('are upright: JPEG with EXIF orientation %i', async (orientation, left, right) => {
    const jpeg = await sharp(quadrants).jpeg({ quality: 95 }).withMetadata({ orientation }).toBuffer();
    const { facts, image } = await mined(jpeg, `o${orientation}.jpg`);
    const size = orientation < 5 ? [120, 80] : [80, 120];
    expect([facts.width, facts.height]).toEqual(size);
    expect([image.width, image.height]).toEqual(size);
    expectColour(at(image, 0.25, 0.25), CORNERS[left]);
    expectColour(at(image, 0.75, 0.25), CORNERS[right]);
  });

  it('decode to the same colours from every kind of PNG and JPEG', async () => {
    const picture = () => sharp(quadrants);
    const kinds: [string, Buffer][] = [
      ['16bit.png', await picture().toColourspace('rgb16').png().toBuffer()],
      ['palette.png', await picture().png({ palette: true }).toBuffer()],
      ['alpha.png', await picture().ensureAlpha(1).png().toBuffer()],
      ['interlaced.png', await picture().png({ progressive: true }).toBuffer()],
      ['cmyk.jpg', await picture().toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer()],
      ['progressive.jpg', await picture().jpeg({ progressive: true, quality: 98 }).toBuffer()],
    ];
    for (const [name, bytes] of kinds) {
      const { facts, image } = await mined(bytes, name);
      expect(facts).toEqual({ kind: 'image', format: name.endsWith('png') ? 'png' : 'jpeg', width: 120, height: 80 });
      // CMYK has a smaller gamut.
      expectColour(at(image, 0.25, 0.25), CORNERS.TL, name.startsWith('cmyk') ? 60 : 12);
      expectColour(at(image, 0.75, 0.75), CORNERS.BR, name.startsWith('cmyk') ? 60 : 12);
    }
  });

  it('show transparency as white and grey as grey', async () => {
    const clear = await sharp({ create: { width: 40, height: 40, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();
    expect(at((await mined(clear, 'clear.png')).image, 0.5, 0.5)).toEqual([255, 255, 255]);
    const grey = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#808080' } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    expectColour(at((await mined(grey, 'grey.png')).image, 0.5, 0.5), [128, 128, 128], 2);
  });

  it('are scaled to the shorter side, never up, with the native picture close to the source', async () => {
    const path = sampleMedia().groups.sample1 as string;
    const facts = (await probeMedia(path)).facts as ImageFacts;
    const specs = [200, 100_000, 'native'].map((shorterSide) => ({
      rate: 2,
      shorterSide: shorterSide as number | 'native',
    }));
    const kept = { rate: 2, shorterSide: 200, images: 'native' as const };
    const packs = await decodeImage({ path, facts, specs: [...specs, kept] });
    const small = await openFramePackBuffer(packs.get('r2-s200') as Buffer);
    expect(Math.min(small.frames[0]?.width as number, small.frames[0]?.height as number)).toBe(200);
    expect(packs.get('r2-s100000')).toBe(packs.get('r2-snative'));
    expect(packs.get('r2-s200-i')).toBe(packs.get('r2-snative'));
    const native = await (await openFramePackBuffer(packs.get('r2-snative') as Buffer)).picture(0);
    const source = await decodeImageFile(path);
    expect([native.width, native.height]).toEqual([source.width, source.height]);
    expect(meanDifference(source.data, native.data)).toBeLessThan(2);
  });

  it('are refused by the header: a PNG of 16000×16000', async () => {
    const path = await cachedMedia('large.png', JSON.stringify(sharp.versions), async (target) => {
      await sharp({
        create: { width: 16_000, height: 16_000, channels: 3, background: '#fff' },
        limitInputPixels: false,
      })
        .png({ compressionLevel: 9 })
        .toFile(target);
    });
    const before = process.memoryUsage().rss;
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringContaining('16000×16000'),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
    await expect(decodeImageFile(path)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  }, 600_000);

  it('are not reported invalid for a lack of resources', async () => {
    const path = join(tmpdir(), 'adit-no-such-picture.jpg');
    const facts: ImageFacts = { kind: 'image', format: 'jpeg', width: 4, height: 4 };
    const failed = { code: 'INTERNAL', retryable: true };
    await expect(decodeImageFile(path)).rejects.toMatchObject(failed);
    await expect(decodeImage({ path, facts, specs: [{ rate: 2, shorterSide: 4 }] })).rejects.toMatchObject(failed);
  });

  it('are refused when truncated or damaged', async () => {
    const jpeg = await readFile(sampleMedia().groups.sample2 as string);
    const damaged: [string, Buffer][] = [
      ['cut.jpg', jpeg.subarray(0, jpeg.length / 2)],
      ['header.jpg', jpeg.subarray(0, 40)],
      ['cut.png', quadrants.subarray(0, quadrants.length / 2)],
      ['signature.png', quadrants.subarray(0, 12)],
    ];
    for (const [name, bytes] of damaged)
      await expect(mined(bytes, name)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
