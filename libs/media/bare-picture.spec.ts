import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { pngChunk, withOrientation, withPngChunks } from '@adit/testing';
import { barePicture } from './bare-picture.js';
import { decodeImage, decodeImageFile, makeThumbnail, probeMedia } from './index.js';

let folder: string;
let png: Buffer;
let jpeg: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-bare-'));
  const red = sharp({
    create: { width: 64, height: 48, channels: 4, background: { r: 200, g: 10, b: 10, alpha: 0.5 } },
  });
  // With a profile that is not sRGB, which changes what is shown.
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
  it('of a PNG has lost what unpacks without end, and shows the same', async () => {
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
    // A profile is looked into, since ordinary ones are wanted.
    const profile = bomb('iCCP', unpacked);
    expect(typesOf(await barePicture(withPngChunks(png, profile)))).toEqual(['IHDR', 'IDAT', 'IEND']);
  });

  it('of a JPEG has its orientation and profile, and nothing that is only said about it', async () => {
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

  it('of anything else is the file itself', async () => {
    const files = [Buffer.alloc(0), Buffer.from('\xff\xd8', 'latin1'), png.subarray(0, 20), Buffer.from('GIF89a')];
    for (const file of files) expect(await barePicture(file)).toEqual(file);
    for (const cut of [0.3, 0.6, 0.9]) {
      const [p, j] = [png.subarray(0, png.length * cut), jpeg.subarray(0, jpeg.length * cut)];
      expect((await barePicture(p)).length).toBeLessThanOrEqual(p.length);
      expect((await barePicture(j)).length).toBeLessThanOrEqual(j.length);
    }
  });
});
