/** @needs ffmpeg */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp, { type Sharp } from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { meanDifference, randomOf, sampleMedia } from '@adit/testing';
import { barePicture, barePictureBytes } from '../../picture/bare-picture.js';
import { decodeImage, decodeImageFile, makeThumbnail, pictureMemory, probeMedia, sniffBytes } from '../../index.js';
import { tiffFile, type TiffEntry } from '../../testing/tiff.js';

const NATIVE = [{ rate: 1, shorterSide: 'native' as const }];
const [WIDTH, HEIGHT] = [320, 214];

let folder: string;
let pixels: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-tiff-'));
  const photo = sharp(sampleMedia().groups['sample1']).resize({ width: WIDTH, height: HEIGHT, fit: 'fill' });
  pixels = await photo.raw().toBuffer();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function picture(): Sharp {
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

const RGB: Record<number, TiffEntry> = {
  256: { values: [WIDTH] },
  257: { values: [HEIGHT] },
  258: { values: [8, 8, 8] },
  259: { values: [1] },
  262: { values: [2] },
  277: { values: [3] },
  278: { values: [HEIGHT] },
};

function written(changes: Record<number, TiffEntry> = {}, flavour = { isLittle: true, isBig: false }): Buffer {
  return tiffFile({ ...flavour, pages: [{ entries: { ...RGB, ...changes }, pixels }] });
}

async function saved(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

async function mine(name: string, bytes: Buffer) {
  const path = await saved(name, bytes);
  const facts = (await probeMedia(path)).facts as ImageFacts;
  await decodeImage({ path, facts, specs: NATIVE });
  expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  return { path, facts, image: await decodeImageFile(path) };
}

/** Name, builder and largest pixel difference to the photo. */
const KINDS: [string, () => Promise<Buffer>, number][] = [
  ['uncompressed', () => picture().tiff({ compression: 'none' }).toBuffer(), 0],
  ['LZW', () => picture().tiff({ compression: 'lzw', predictor: 'horizontal' }).toBuffer(), 0],
  ['Deflate', () => picture().tiff({ compression: 'deflate' }).toBuffer(), 0],
  ['PackBits', () => picture().tiff({ compression: 'packbits' }).toBuffer(), 0],
  ['JPEG', () => picture().tiff({ compression: 'jpeg', quality: 95 }).toBuffer(), 4],
  ['WebP', () => picture().tiff({ compression: 'webp', quality: 95 }).toBuffer(), 6],
  ['tiled', () => picture().tiff({ tile: true, tileWidth: 64, tileHeight: 64, compression: 'lzw' }).toBuffer(), 0],
  ['a pyramid', () => picture().tiff({ pyramid: true, tile: true, compression: 'lzw' }).toBuffer(), 0],
  ['BigTIFF', () => picture().tiff({ bigtiff: true, compression: 'lzw' }).toBuffer(), 0],
  ['16 bits', () => picture().toColourspace('rgb16').tiff({ compression: 'lzw' }).toBuffer(), 1],
  ['floats', () => picture().toColourspace('scrgb').tiff({ compression: 'lzw' }).toBuffer(), 1],
  ['Lab', () => picture().toColourspace('lab').tiff({ compression: 'lzw' }).toBuffer(), 1],
  ['CMYK', () => picture().toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer(), 25],
  ['transparent', () => picture().ensureAlpha(1).tiff({ compression: 'lzw' }).toBuffer(), 0],
  ['with a profile', () => picture().withIccProfile('p3').tiff({ compression: 'lzw' }).toBuffer(), 2],
  ['big-endian', async () => written({}, { isLittle: false, isBig: false }), 0],
  ['big-endian BigTIFF', async () => written({}, { isLittle: false, isBig: true }), 0],
];

describe('TIFF', () => {
  it.each(KINDS)('%s is mined', async (name, make, distance) => {
    const { facts, image } = await mine(`${name}.tif`, await make());
    expect(facts).toEqual({ kind: 'image', format: 'tiff', width: WIDTH, height: HEIGHT });
    expect(meanDifference(image.data, pixels)).toBeLessThanOrEqual(distance);
  });

  it.each(['ccittfax4', 'none'] as const)('of one bit a pixel is mined: %s', async (compression) => {
    const black = picture().threshold(128).toColourspace('b-w');
    const { image } = await mine('bits.tif', await black.clone().tiff({ compression, bitdepth: 1 }).toBuffer());
    const own = await black.toColourspace('srgb').raw().toBuffer();
    expect(meanDifference(image.data, own)).toBeLessThan(1);
  });

  it('is displayed upright', async () => {
    const turned = await picture().withMetadata({ orientation: 6 }).tiff({ compression: 'lzw' }).toBuffer();
    const { facts, image } = await mine('turned.tif', turned);
    expect([facts.width, facts.height]).toEqual([HEIGHT, WIDTH]);
    const own = await picture().rotate(90).raw().toBuffer();
    expect(meanDifference(image.data, own)).toBe(0);
  });

  it('of several pages is its first, and never a preview in front of it', async () => {
    const small = { entries: { ...RGB, 254: { values: [1], isLong: true }, 257: { values: [50] } }, pixels };
    const grey = { entries: RGB, pixels: Buffer.alloc(pixels.length, 128) };
    const own = { entries: RGB, pixels };
    for (const isBig of [false, true]) {
      const file = tiffFile({ isLittle: isBig, isBig, pages: [small, own, grey] });
      const { facts, image } = await mine('pages.tif', file);
      expect(facts).toMatchObject({ width: WIDTH, height: HEIGHT });
      expect(meanDifference(image.data, pixels)).toBe(0);
    }
  });

  it('is passed to the decoder without metadata, and is recognised by its head, however large it is', async () => {
    const side = 2_000;
    const noise = randomBytes(side * side * 3);
    const size = { 256: { values: [side] }, 257: { values: [side] }, 278: { values: [side] } };
    const said = { 270: { values: Array<number>(30_000).fill(0x2020) }, 34_377: { values: [1, 2, 3] } };
    const pages = [{ entries: { ...RGB, ...size, ...said }, pixels: noise }];
    const file = Buffer.concat([tiffFile({ isLittle: true, isBig: false, pages }), Buffer.alloc(1 << 20)]);
    const path = await saved('large.tif', file);
    const bare = await barePicture(path);
    expect(bare.length).toBeLessThan(noise.length + 1000);
    expect(await barePictureBytes(path)).toBe(bare.length);
    expect((await barePicture(path, 1 << 10)).length).toBe(1 << 10);
    const { facts } = await probeMedia(path);
    expect(facts).toMatchObject({ width: side, height: side });
    expect(await pictureMemory(path, facts as ImageFacts, NATIVE)).toBeGreaterThan(3 * side * side);
    expect(meanDifference((await decodeImageFile(path)).data, noise)).toBe(0);
    expect(await sniffBytes(file.subarray(0, 64 << 10))).toEqual({ kind: 'image', format: 'tiff' });
  });

  const refused: [string, () => Buffer, RegExp][] = [
    ['of Zstandard', () => written({ 259: { values: [50_000] } }), /not read here \(Zstandard\): save it as PNG/],
    ['of old JPEG', () => written({ 259: { values: [6] } }), /JPEG of before 1995/],
    ['of an unknown compression', () => written({ 259: { values: [4711] } }), /number 4711/],
    ['of a colour filter', () => written({ 262: { values: [32_803] } }), /a camera’s raw picture: save it as JPEG/],
    ['of a digital negative', () => written({ 50_706: { values: [1, 4] } }), /a camera’s raw picture/],
    ['of odd colours', () => written({ 262: { values: [32_844] } }), /colours of a kind that is not read here/],
    ['of 1,000 channels', () => written({ 277: { values: [1000] } }), /1000 values a pixel; at most 8/],
    [
      'of 65,535 × 65,535',
      () => written({ 256: { values: [65_535] }, 257: { values: [65_535] } }),
      /at most 1073741824/,
    ],
    ['of large tiles', () => written({ 322: { values: [60_000] }, 323: { values: [60_000] } }), /at most 67108864/],
    [
      'of strips on top of each other',
      () =>
        written({
          273: { values: Array<number>(50).fill(8), isLong: true },
          279: { values: Array<number>(50).fill(pixels.length), isLong: true },
        }),
      /pixel data .* overlaps/,
    ],
    ['without strips', () => written({ 273: { values: [] }, 279: { values: [] } }), /where its pixels lie/],
  ];
  /** @hardening media: A file is refused without its format's name */
  it.each(refused)('%s is refused with its name', async (_, make, message) => {
    const before = process.memoryUsage().rss;
    const refusal = { code: 'MEDIA_INVALID', message: expect.stringMatching(message) };
    await expect(mine('refused.tif', make())).rejects.toMatchObject(refusal);
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it('is refused wherever it is truncated, and for any false statement', async () => {
    const files = [written(), await picture().tiff({ tile: true, compression: 'lzw', bigtiff: true }).toBuffer()];
    for (const file of files) {
      for (let share = 0.001; share < 1; share += 0.07) {
        const cut = file.subarray(0, Math.floor(file.length * share));
        await expect(mine('cut.tif', cut)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
      }
      const random = randomOf(file.length);
      for (let number = 0; number < 150; number++) {
        const lie = Buffer.from(file);
        // Positions near both ends, where the directory is.
        const near = Math.floor(random() * 400);
        const at = number % 2 === 0 ? near : file.length - 8 - near;
        lie.writeUInt32LE([0xffff_ffff, 0, 1, 0x7fff_ffff, 0x0001_0000][number % 5]!, at);
        const outcome = await mine('lie.tif', lie).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'MEDIA_INVALID' });
      }
    }
    // A directory that names itself as its successor.
    const round = written({ 254: { values: [1], isLong: true } });
    round.writeUInt32LE(round.readUInt32LE(4), round.length - 4);
    expect((await mine('round.tif', round)).facts).toMatchObject({ width: WIDTH });
  });
});
