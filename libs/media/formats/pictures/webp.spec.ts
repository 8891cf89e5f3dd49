/** @needs ffmpeg */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { barePicture, barePictureBytes } from '../../picture/bare-picture.js';
import { decodeImage, decodeImageFile, makeThumbnail, pictureMemory, probeMedia } from '../../index.js';

const [WIDTH, HEIGHT] = [96, 64];
/** Colours of the four quarters, clockwise from the upper left one. */
const COLOURS = [
  [220, 30, 30],
  [30, 200, 30],
  [230, 230, 40],
  [30, 30, 220],
] as const;
const NATIVE = [{ rate: 1, shorterSide: 'native' as const }];

let folder: string;
let pixels: Buffer;
/** WebP with a colour profile other than sRGB, transparency and EXIF. */
let rich: Buffer;
let plain: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-webp-'));
  pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) pixels.set(colourAt(x / WIDTH, y / HEIGHT), (y * WIDTH + x) * 3);
  }
  rich = await picture().ensureAlpha(0.5).withIccProfile('p3').withMetadata({ orientation: 6 }).webp().toBuffer();
  plain = await picture().webp({ quality: 95 }).toBuffer();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function picture() {
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

function colourAt(x: number, y: number): readonly number[] {
  return COLOURS[y < 0.5 ? (x < 0.5 ? 0 : 1) : x < 0.5 ? 3 : 2];
}

function chunk(type: string, content: Buffer, says = content.length): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(says, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length & 1)]);
}

function riff(...chunks: Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** Type and content of each chunk. */
function chunksOf(file: Buffer): [string, Buffer][] {
  const found: [string, Buffer][] = [];
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    found.push([file.toString('latin1', at, at + 4), file.subarray(at + 8, at + 8 + length)]);
    at += 8 + length + (length & 1);
  }
  return found;
}

function canvas(width: number, height: number, flags = 0): Buffer {
  const content = Buffer.alloc(10);
  content[0] = flags;
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return chunk('VP8X', content);
}

function pictureChunk(file: Buffer): Buffer {
  const [type, content] = chunksOf(file).find(([name]) => name.startsWith('VP8') && name !== 'VP8X')!;
  return chunk(type, content);
}

/** Lossless WebP without pixel data, whose header announces a size of at most 16384 a side. */
function announced(width: number, height: number): Buffer {
  const bits = (BigInt(width - 1) | (BigInt(height - 1) << 14n)) & 0xffffffffn;
  const content = Buffer.alloc(64);
  content[0] = 0x2f;
  content.writeUInt32LE(Number(bits), 1);
  return riff(chunk('VP8L', content));
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
  return { facts, image: await decodeImageFile(path) };
}

describe('WebP', () => {
  it.each([
    [1, 0, 1],
    [2, 1, 0],
    [3, 2, 3],
    [4, 3, 2],
    [5, 0, 3],
    [6, 3, 0],
    [7, 2, 1],
    [8, 1, 2],
  ])('is upright with EXIF orientation %i', async (orientation, left, right) => {
    for (const lossless of [true, false]) {
      const file = await picture().webp({ lossless, quality: 95 }).withMetadata({ orientation }).toBuffer();
      const { facts, image } = await mine(`o${orientation}-${lossless}.webp`, file);
      const [width, height] = orientation < 5 ? [WIDTH, HEIGHT] : [HEIGHT, WIDTH];
      expect(facts).toEqual({ kind: 'image', format: 'webp', width, height });
      for (const [x, colour] of [
        [0.25, COLOURS[left]!],
        [0.75, COLOURS[right]!],
      ] as const) {
        const at = (Math.floor(0.25 * height) * width + Math.floor(x * width)) * 3;
        colour.forEach((value, i) => expect(Math.abs(image.data[at + i]! - value)).toBeLessThanOrEqual(12));
      }
    }
  });

  it('is passed to the decoder with everything displayed, without metadata and trailing data', async () => {
    const said = [chunk('XMP ', Buffer.alloc(1 << 20, 'x')), chunk('note', Buffer.from('odd'))];
    const [extended, ...rest] = chunksOf(rich).map(([type, content]) => chunk(type, content)) as [Buffer, ...Buffer[]];
    const file = Buffer.concat([riff(extended, ...said, ...rest, ...said), Buffer.alloc(1 << 20, 'y'), plain]);
    const path = await saved('followed.webp', file);
    const bare = await barePicture(path);
    expect(chunksOf(bare).map(([type]) => type)).toEqual(['VP8X', 'ICCP', 'ALPH', 'VP8 ', 'EXIF']);
    expect(bare.length).toBeLessThan(rich.length + 1);
    expect(await barePictureBytes(path)).toBe(bare.length);
    expect(await sharp(bare).metadata()).toMatchObject({ orientation: 6, hasAlpha: true, hasProfile: true });
    const shown = await sharp(rich)
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    expect(Buffer.compare(Buffer.from((await decodeImageFile(path)).data), shown)).toBe(0);
    expect(await decodeImageFile(file)).toEqual(await decodeImageFile(path));
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
  });

  it('passes no decompression bomb to the decoder in its metadata', async () => {
    const flags = 0x2c;
    const said = ['ICCP', 'EXIF', 'XMP '].map((type) => chunk(type, Buffer.alloc(8 << 20, 'z')));
    const file = riff(canvas(WIDTH, HEIGHT, flags), ...said, pictureChunk(plain), ...said);
    expect(chunksOf(await barePicture(file)).map(([type]) => type)).toEqual(['VP8X', 'VP8 ']);
    expect((await mine('said.webp', file)).facts).toMatchObject({ width: WIDTH, height: HEIGHT });
    const many = riff(canvas(WIDTH, HEIGHT), Buffer.alloc(8 * 1_000_001, chunk('note', Buffer.alloc(0))));
    await expect(mine('many.webp', many)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: /more than 1000000/,
    });
  });

  it('is read by its head where only that is needed, however large it is', async () => {
    const side = 2_000;
    const noise = randomBytes(side * side * 4);
    const raw = { width: side, height: side, channels: 4 as const };
    const file = await sharp(noise, { raw }).webp({ lossless: true, effort: 0 }).toBuffer();
    expect(file.length).toBeGreaterThan(8 << 20);
    expect((await barePicture(file, 8 << 20)).length).toBeLessThan(100_000);
    const { facts, image } = await mine('large.webp', file);
    expect([facts.width, image.width]).toEqual([side, side]);
  });

  it('counts with all its pixels when memory is reserved', async () => {
    const grey = sharp({ create: { width: 5000, height: 4000, channels: 3, background: 'grey' } });
    const path = await saved('grey.webp', await grey.webp({ lossless: true, effort: 0 }).toBuffer());
    const facts = (await probeMedia(path)).facts as ImageFacts;
    expect(await pictureMemory(path, facts, NATIVE)).toBeGreaterThan(4 * 20_000_000);
  });

  it('is refused when it is animated', async () => {
    const frames = { width: WIDTH, height: HEIGHT / 2, channels: 3 as const };
    const moving = await sharp(pixels, { raw: { ...frames, height: HEIGHT, pageHeight: HEIGHT / 2 } })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    expect(chunksOf(moving).map(([type]) => type)).toContain('ANMF');
    const refusal = { code: 'MEDIA_INVALID', message: /animated/ };
    await expect(mine('moving.webp', moving)).rejects.toMatchObject(refusal);
    await expect(mine('one.webp', riff(canvas(WIDTH, HEIGHT, 2), pictureChunk(plain)))).rejects.toMatchObject(refusal);
    // Frames without the animation flag are no picture.
    const hidden = riff(
      canvas(WIDTH, HEIGHT),
      ...chunksOf(moving)
        .slice(1)
        .map(([type, content]) => chunk(type, content)),
    );
    await expect(mine('hidden.webp', hidden)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });

  const huge: [string, () => Buffer, RegExp][] = [
    ['a picture of 16383×16383', () => announced(16_383, 16_383), /16383×16383 pixels/],
    ['a canvas of 16777216×255', () => riff(canvas(2 ** 24, 255), pictureChunk(plain)), /./],
    ['a canvas that is larger than the picture', () => riff(canvas(4_000, 4_000), pictureChunk(plain)), /./],
    ['a canvas that is smaller than the picture', () => riff(canvas(8, 8), pictureChunk(plain)), /./],
    ['a small canvas around 16383×16383', () => riff(canvas(8, 8), pictureChunk(announced(16_383, 16_383))), /./],
  ];
  it.each(huge)('is refused when it announces %s', async (what, make, message) => {
    const before = process.memoryUsage().rss;
    await expect(mine(`${what}.webp`, make())).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(message),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  it('is refused wherever it is truncated, and for a length beyond the file', async () => {
    for (const file of [rich, plain]) {
      for (let share = 0; share < 1; share += 0.04) {
        const cut = file.subarray(0, Math.floor(file.length * share));
        await expect(mine('cut.webp', cut)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
      }
    }
    const [type, content] = chunksOf(plain)[0]!;
    const lies = [
      riff(chunk(type, content, 0xffff_ffff)),
      riff(chunk(type, content, content.length + 2)),
      riff(canvas(WIDTH, HEIGHT), chunk('ALPH', Buffer.alloc(4), 0xffff_ffff), chunk(type, content, 0xffff_ffff)),
      riff(chunk(type, content, 4)),
      riff(),
      riff(canvas(WIDTH, HEIGHT)),
    ];
    for (const lie of lies) await expect(mine('lie.webp', lie)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
