/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { pngChunk, withOrientation, withPngChunks } from '@adit/testing';
import { barePicture, barePictureBytes } from './bare-picture.js';
import { decodeImage, decodeImageFile, makeThumbnail, pictureMemory, probeMedia } from '../index.js';

let folder: string;
let png: Buffer;
let jpeg: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-bare-'));
  const red = sharp({
    create: { width: 64, height: 48, channels: 4, background: { r: 200, g: 10, b: 10, alpha: 0.5 } },
  });
  // Has a profile other than sRGB, which changes the colours.
  png = await red.clone().withIccProfile('p3').png().toBuffer();
  jpeg = await red.clone().flatten().withIccProfile('p3').jpeg().toBuffer();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A chunk of text or profile that unpacks to 256 MB. */
function bomb(type: 'zTXt' | 'iTXt' | 'iCCP', unpacked: Buffer): Buffer {
  const name = type === 'iTXt' ? 'note\0\x01\0\0\0' : 'note\0\0';
  return pngChunk(type, Buffer.concat([Buffer.from(name, 'latin1'), unpacked]));
}

function typesOf(file: Buffer): string[] {
  const types: string[] = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12)
    types.push(file.toString('latin1', at + 4, at + 8));
  return [...new Set(types)];
}

describe('a bare picture', () => {
  /** @hardening overload: A picture has texts that unpack without end */
  it('of a PNG has lost decompression bombs, and shows the same', async () => {
    const unpacked = deflateSync(Buffer.alloc(256 << 20), { level: 1 });
    const texts = (['zTXt', 'iTXt'] as const).flatMap((type) => Array<Buffer>(50).fill(bomb(type, unpacked)));
    const file = withPngChunks(png, ...texts);
    expect(typesOf(await barePicture(file))).toEqual(['IHDR', 'iCCP', 'IDAT', 'IEND']);
    const path = join(folder, 'texts.png');
    await writeFile(path, file);
    const { facts } = await probeMedia(path);
    expect(facts).toEqual({ kind: 'image', format: 'png', width: 64, height: 48 });
    expect(await decodeImageFile(path)).toEqual(await decodeImageFile(png));
    const specs = [{ rate: 1, shorterSide: 'native' as const }];
    expect((await decodeImage({ path, facts: facts as ImageFacts, specs })).size).toBe(1);
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(100);
    // The profile is inspected, since ordinary ones are kept.
    const profile = bomb('iCCP', unpacked);
    expect(typesOf(await barePicture(withPngChunks(png, profile)))).toEqual(['IHDR', 'IDAT', 'IEND']);
  });

  it('of a JPEG keeps its orientation and profile, and no metadata', async () => {
    const said = (marker: number, text: string): Buffer =>
      Buffer.concat([Buffer.from([0xff, marker, (text.length + 2) >> 8, (text.length + 2) & 255]), Buffer.from(text)]);
    const turned = withOrientation(jpeg, 6);
    const notes = [
      said(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x/>'),
      said(0xed, 'Photoshop 3.0\0'),
      said(0xfe, 'a comment'),
    ];
    const bare = await barePicture(Buffer.concat([turned.subarray(0, 2), ...notes, turned.subarray(2)]));
    expect(bare).toEqual(turned);
    const { orientation, icc } = await sharp(bare).metadata();
    expect(orientation).toBe(6);
    expect(icc).toBeDefined();
    const flood = said(0xe2, `ICC_PROFILE\0${'x'.repeat(60_000)}`);
    const flooded = Buffer.concat([jpeg.subarray(0, 2), ...Array<Buffer>(200).fill(flood), jpeg.subarray(2)]);
    expect((await barePicture(flooded)).length).toBeLessThan(5 << 20);
  });

  it('ends with the picture, however much data follows it', async () => {
    const progressive = await sharp(jpeg).jpeg({ progressive: true }).toBuffer();
    // An end marker in a comment in front of the last scan.
    const comment = Buffer.from([0xff, 0xfe, 0, 4, 0xff, 0xd9]);
    const scan = progressive.lastIndexOf(Buffer.from([0xff, 0xda]));
    const between = Buffer.concat([progressive.subarray(0, scan), comment, progressive.subarray(scan)]);
    const behind = Buffer.concat([Buffer.alloc(1 << 20, 'x'), jpeg, Buffer.from([0xff])]);
    for (const [at, picture] of [png, jpeg, progressive, between].entries()) {
      const path = join(folder, `followed-${at}`);
      await writeFile(path, Buffer.concat([picture, behind]));
      const bare = await barePicture(path);
      expect(bare.length).toBeLessThanOrEqual(picture.length);
      expect(bare).toEqual(await barePicture(picture));
      expect(await barePictureBytes(path)).toBe(bare.length);
      const decoded = await decodeImageFile(path);
      expect(decoded).toEqual(await decodeImageFile(picture));
      // libvips confirms the result.
      const { data } = await sharp(picture)
        .flatten({ background: '#ffffff' })
        .toColourspace('srgb')
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect(Buffer.compare(Buffer.from(decoded.data), data)).toBe(0);
      const { facts } = await probeMedia(path);
      const specs = [{ rate: 1, shorterSide: 'native' as const }];
      expect(await pictureMemory(path, facts as ImageFacts, specs)).toBeLessThan(33 << 20);
    }
  });

  it('is reported with its full size: of a small picture what is read counts, and its head is a part', async () => {
    const data = pngChunk('IDAT', Buffer.alloc(24 << 20));
    const large = Buffer.concat([png.subarray(0, -12), data, png.subarray(-12)]);
    const path = join(folder, 'large.png');
    await writeFile(path, large);
    expect((await barePicture(path, 8 << 20)).length).toBe(8 << 20);
    const { facts } = await probeMedia(path);
    expect(facts).toMatchObject({ kind: 'image', width: 64 });
    const specs = [{ rate: 1, shorterSide: 'native' as const }];
    expect(await pictureMemory(path, facts as ImageFacts, specs)).toBeGreaterThan(3 * large.length);
  });

  it('is limited in the number of parts', async () => {
    const comment = Buffer.from([0xff, 0xfe, 0, 2]);
    const file = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(4 * 1_000_001, comment), jpeg.subarray(2)]);
    await expect(barePicture(file)).rejects.toThrow(/more than 1000000 parts/);
  });

  it('of any other format is the file itself', async () => {
    const files = [Buffer.alloc(0), Buffer.from('\xff\xd8', 'latin1'), png.subarray(0, 20), Buffer.from('GIF89a')];
    for (const file of files) expect(await barePicture(file)).toEqual(file);
    for (const cut of [0.3, 0.6, 0.9]) {
      const [p, j] = [png.subarray(0, png.length * cut), jpeg.subarray(0, jpeg.length * cut)];
      expect((await barePicture(p)).length).toBeLessThanOrEqual(p.length);
      expect((await barePicture(j)).length).toBeLessThanOrEqual(j.length);
    }
  });
});
