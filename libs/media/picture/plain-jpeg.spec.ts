/** @needs ffmpeg */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import type { ImageFacts } from '@adit/contracts';
import { meanDifference, sampleMedia } from '@adit/testing';
import { decodeImage, decodeImageFile, openFramePackBuffer, probeMedia } from '../index.js';
import { bareJpeg, plainJpeg } from './plain-jpeg.js';

const SIZE = { width: 333, height: 250 };
const once = { maxPixels: 1e8, whole: false };
let photo: Sharp;
let plain: Buffer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-plain-'));
  const source = await sharp(sampleMedia().groups.sample1 as string)
    .resize({ ...SIZE, fit: 'fill' })
    .png()
    .toBuffer();
  photo = sharp(source);
  plain = await photo.clone().jpeg({ quality: 90 }).toBuffer();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function difference(a: string | Buffer, b: string | Buffer): Promise<number> {
  const [left, right] = await Promise.all([decodeImageFile(a), decodeImageFile(b)]);
  expect([left.width, left.height]).toEqual([right.width, right.height]);
  return meanDifference(left.data, right.data);
}

describe('the file’s own JPEG data', () => {
  it('is kept pixel for pixel, without metadata', async () => {
    const full = await photo
      .clone()
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
      .jpeg({ quality: 90 })
      .toBuffer();
    const file = Buffer.concat([full, Buffer.from('an appended film')]);
    expect(file.includes('somebody')).toBe(true);
    const kept = (await plainJpeg(file, SIZE, once)) as Buffer;
    for (const word of ['somebody', 'xmpmeta', 'Exif', 'appended']) expect(kept.includes(word)).toBe(false);
    expect(await difference(file, kept)).toBe(0);
  });

  it.each(['4:4:4', '4:2:0'])('is kept with chroma %s', async (chromaSubsampling) => {
    const file = await photo.clone().jpeg({ chromaSubsampling, quality: 97 }).toBuffer();
    expect(await difference(file, (await plainJpeg(file, SIZE, once)) as Buffer)).toBe(0);
  });

  it('is kept when its colour profile equals the default', async () => {
    const file = await photo.clone().withIccProfile('srgb').jpeg({ quality: 95 }).toBuffer();
    const kept = (await plainJpeg(file, SIZE, once)) as Buffer;
    expect(kept.includes('ICC_PROFILE')).toBe(false);
    // The colour engine's result stays within its rounding.
    expect(await difference(file, kept)).toBeLessThan(0.5);
  });

  it('continues after a restart marker', () => {
    const middle = Math.floor(plain.length / 2);
    const at = plain[middle - 1] === 0xff ? middle + 1 : middle;
    const marked = Buffer.concat([plain.subarray(0, at), Buffer.from([0xff, 0xd0]), plain.subarray(at)]);
    expect(bareJpeg(marked, SIZE)?.length).toBe((bareJpeg(plain, SIZE)?.length ?? NaN) + 2);
  });

  it('is encoded anew for every other kind of file', async () => {
    const others: [string, Buffer][] = [
      ['progressive', await photo.clone().jpeg({ progressive: true }).toBuffer()],
      ['grey', await photo.clone().toColourspace('b-w').jpeg().toBuffer()],
      ['cmyk', await photo.clone().toColourspace('cmyk').jpeg().toBuffer()],
      ['profile', await photo.clone().withIccProfile('p3').jpeg().toBuffer()],
      ['turned', await photo.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
      ['mirrored', await photo.clone().withMetadata({ orientation: 2 }).jpeg().toBuffer()],
      ['png', await photo.clone().png().toBuffer()],
    ];
    for (const [name, file] of others) expect([name, await plainJpeg(file, SIZE, once)]).toEqual([name, null]);
    expect(await plainJpeg(plain, { width: 250, height: 333 }, once)).toBeNull();
  });

  it('is validated when nothing else is decoded from the file', async () => {
    const hurt = Buffer.from(plain);
    // The scan names a missing Huffman table: the header is valid, the picture is not.
    hurt[hurt.indexOf(Buffer.from([0xff, 0xda])) + 6] = 0x33;
    expect(bareJpeg(hurt, SIZE)).not.toBeNull();
    await expect(plainJpeg(hurt, SIZE, once)).rejects.toThrow(/huffman/i);
    for (const specs of [['native'], ['native', 100]] as const) {
      const path = join(folder, 'hurt.jpg');
      await writeFile(path, hurt);
      const facts = (await probeMedia(path)).facts as ImageFacts;
      const request = { path, facts, specs: specs.map((shorterSide) => ({ rate: 1, shorterSide })) };
      await expect(decodeImage(request)).rejects.toMatchObject({ code: 'MEDIA_INVALID' });
    }
  });

  it('gives the pixels of the re-encoded picture, within JPEG error, for real photos', async () => {
    for (const path of ['sample1', 'sample4'].map((name) => sampleMedia().groups[name] as string)) {
      const facts = (await probeMedia(path)).facts as ImageFacts;
      const packs = await decodeImage({ path, facts, specs: [{ rate: 1, shorterSide: 'native' }] });
      const native = await (await openFramePackBuffer([...packs.values()][0] as Buffer)).picture(0);
      const anew = await decodeImageFile(
        await sharp(path).autoOrient().jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer(),
      );
      expect([native.width, native.height]).toEqual([anew.width, anew.height]);
      expect(meanDifference(anew.data, native.data)).toBeLessThan(2);
    }
  });

  it('never contains invented bytes and never fails, whatever the file', async () => {
    const bytes = await readFile(sampleMedia().groups.sample1 as string);
    const facts = await sharp(bytes).metadata();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 4 }),
        fc.option(fc.nat(bytes.length)),
        (changes, cut) => {
          const file = Buffer.from(cut === null ? bytes : bytes.subarray(0, cut));
          for (const [at, value] of changes) if (at < file.length) file[at] = value;
          const bare = bareJpeg(file, facts);
          if (bare === null) return;
          expect(bare.length).toBeLessThanOrEqual(file.length);
          expect(bareJpeg(bare, facts)?.equals(bare)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
