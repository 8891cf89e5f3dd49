/** @needs ffmpeg, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { sampleMedia, transcode } from '@adit/testing';
import { decodeImageFile, makeThumbnail, probeMedia } from '../../index.js';
import { barePicture } from '../../picture/bare-picture.js';

let folder: string;
let still: Buffer;
let moving: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-gif-'));
  still = await sharp(sampleMedia().groups['sample1']).resize({ width: 240 }).gif().toBuffer();
  // Each picture has another colour.
  const colours = "color=red:s=64x48:r=4:d=1,hue='h=90*t*4'";
  moving = await readFile(await transcode('colours.gif', ['-f', 'lavfi', '-i', colours]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/** Data in blocks of 255 bytes, as GIF has it. */
function blocks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat([...pieces, Buffer.from([0])]);
}

/** The file with blocks in front of its first picture or extension. */
function withBlocks(gif: Buffer, added: Buffer): Buffer {
  const at = 13 + 3 * 2 ** ((gif.readUInt8(10) & 7) + 1);
  return Buffer.concat([gif.subarray(0, at), added, gif.subarray(at)]);
}

/** The file of a picture that states another size, as its screen does. */
async function withSize(gif: Buffer, width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.from(await barePicture(gif));
  const table = 13 + 3 * 2 ** ((bytes.readUInt8(10) & 7) + 1);
  const description = bytes.indexOf(0x2c, bytes[table] === 0x21 ? table + 8 : table);
  for (const at of [6, description + 5]) {
    bytes.writeUInt16LE(width, at);
    bytes.writeUInt16LE(height, at + 2);
  }
  return bytes;
}

describe('a GIF', () => {
  it('is a picture by its content, whatever its name', async () => {
    const path = await put('photo.mp4', still);
    const { facts } = await probeMedia(path);
    const { width, height } = await sharp(still).metadata();
    expect(facts).toEqual({ kind: 'image', format: 'gif', width, height });
    expect((await makeThumbnail({ path, directory: folder })).length).toBeGreaterThan(500);
  });

  it('shows the pixels of its first picture, of which nothing else is kept', async () => {
    const pictures = (await sharp(moving).metadata()).pages;
    expect(pictures).toBe(4);
    const bare = await barePicture(moving);
    expect((await sharp(bare).metadata()).pages ?? 1).toBe(1);
    expect(bare.length).toBeLessThan(moving.length);
    const shown = await decodeImageFile(await put('moving.gif', moving));
    const first = await sharp(moving, { page: 0 }).flatten({ background: '#fff' }).raw().toBuffer();
    expect(Buffer.compare(Buffer.from(shown.data), first)).toBe(0);
    const [red = 0, green = 255, blue = 255] = shown.data;
    expect(red).toBeGreaterThan(200);
    expect(Math.max(green, blue)).toBeLessThan(60);
  });

  it('lies over white where it is transparent', async () => {
    const clear = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#0000' } })
      .gif()
      .toBuffer();
    expect([...(await decodeImageFile(clear)).data].every((value) => value > 250)).toBe(true);
  });

  it('is read past a comment of megabytes, which reaches no decoder', async () => {
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe]), blocks(Buffer.alloc(3_000_000, 0x61))]);
    const bare = await barePicture(withBlocks(still, comment));
    expect(Math.abs(bare.length - still.length)).toBeLessThan(1000);
    const shown = await decodeImageFile(withBlocks(still, comment));
    expect(Buffer.compare(Buffer.from(shown.data), Buffer.from((await decodeImageFile(still)).data))).toBe(0);
  });

  const hostile: [string, () => Buffer | Promise<Buffer>, RegExp][] = [
    ['four gigapixels', () => withSize(still, 65_535, 65_535), /65535×65535 pixels; at most 100 meg/],
    [
      'two million empty extensions',
      () => withBlocks(still, Buffer.alloc(6_000_000, Buffer.from('21fe00', 'hex'))),
      /1000000 parts/,
    ],
    ['no picture', () => withBlocks(still, Buffer.from([0x3b])), /cannot be/],
    ['only a header', () => still.subarray(0, 13), /cannot be/],
  ];
  /** @hardening media: A GIF states gigapixels, or has extensions without end */
  it.each(hostile)('with %s is refused', async (name, make, reason) => {
    const path = await put(`${name.replace(/\W+/g, '-')}.gif`, await make());
    const message = expect.stringMatching(reason);
    await expect(probeMedia(path)).rejects.toMatchObject({ code: 'MEDIA_INVALID', message });
  });

  it('that ends in the middle of its picture is refused when it is decoded', async () => {
    const cut = still.subarray(0, still.length / 2);
    await expect(decodeImageFile(cut)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
  });
});
