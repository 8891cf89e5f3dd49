import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { AditError, type PackedFrame } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import {
  cropRgb,
  decodeImageFile,
  encodeJpeg,
  openFramePack,
  openFramePackBuffer,
  packFrames,
  type RgbImage,
} from '../index.js';

let image: RgbImage;
let pack: Buffer;
const frames: PackedFrame[] = [];

beforeAll(async () => {
  image = await decodeImageFile(sampleMedia().faces.franck_02221 as string);
  const jpegs: Buffer[] = [];
  for (let i = 0; i < 4; i++) {
    const { data, width, height } = await encodeJpeg(image, { maxSide: 300 - i * 50, quality: 95 });
    frames.push({ frame: i * 12, pts: i * 512, time: i / 2, width, height });
    jpegs.push(data);
  }
  pack = packFrames(frames, jpegs);
});

describe('a frame pack', () => {
  it('reads its header, then only the requested picture, once', async () => {
    const reads: [number, number][] = [];
    const opened = await openFramePack((start, end) => {
      reads.push([start, end]);
      return Promise.resolve(pack.subarray(start, end + 1));
    });
    expect(opened.frames).toEqual(frames);
    expect(reads).toHaveLength(1);
    const whole = await opened.picture(2);
    expect(whole).toMatchObject({ width: frames[2]?.width, height: frames[2]?.height });
    expect(whole.data).toHaveLength(whole.width * whole.height * 3);
    for (let i = 0; i < 5; i++) await opened.region(2, { x: i, y: i, w: 20, h: 30 });
    expect(reads).toHaveLength(2);
  });

  it('keeps the last two pictures, and decodes others again', async () => {
    const opened = await openFramePackBuffer(pack);
    const [first, second] = [await opened.picture(0), await opened.picture(0)];
    expect(second).toBe(first);
    await opened.picture(1);
    expect(await opened.picture(0)).toBe(first);
    for (const index of [1, 2]) await opened.picture(index);
    const again = await opened.picture(0);
    expect(again).not.toBe(first);
    expect(Buffer.from(first.data).equals(again.data)).toBe(true);
  });

  it('lends pictures, and frees their memory with the last borrower', async () => {
    const opened = await openFramePackBuffer(pack);
    const kept = await opened.picture(0);
    const shown: RgbImage[] = [];
    const ended = await opened.withPicture(1, async (picture) => {
      shown.push(picture);
      // Others are decoded meanwhile, so that this one leaves the last two.
      for (const index of [2, 3]) await opened.withPicture(index, (other) => void shown.push(other));
      expect(picture.data).toHaveLength(picture.width * picture.height * 3);
      return opened.withPicture(0, ({ width }) => width);
    });
    expect(ended).toBe(frames[0]?.width);
    expect(shown.map(({ data }) => data.length > 0)).toEqual([false, false, true]);
    expect(kept.data).toHaveLength(kept.width * kept.height * 3);
    // A freed picture is decoded again.
    expect(await opened.withPicture(1, ({ data }) => data.length)).toBe(shown[0]!.width * shown[0]!.height * 3);
  });

  it('lends a picture to several callers, until the last has finished', async () => {
    const opened = await openFramePackBuffer(pack);
    let finish!: () => void;
    const long = opened.withPicture(0, async (picture) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return picture.data.length;
    });
    await expect(opened.withPicture(0, () => Promise.reject(new Error('seen enough')))).rejects.toThrow('seen enough');
    for (const index of [1, 2, 3]) await opened.withPicture(index, () => undefined);
    finish();
    expect(await long).toBeGreaterThan(0);
  });

  it('does not keep the memory of pictures that nobody holds any more', async () => {
    const large = packFrames(
      [{ ...frames[0]!, width: 1280, height: 720 }],
      [(await encodeJpeg({ data: new Uint8Array(1280 * 720 * 3).fill(90), width: 1280, height: 720 })).data],
    );
    const resident = () => process.memoryUsage().rss / 2 ** 20;
    const readFrames = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) await (await openFramePackBuffer(large)).picture(0);
    };
    await readFrames(60);
    const before = resident();
    await readFrames(200);
    // The pictures together are 530 MiB.
    expect(resident() - before).toBeLessThan(200);
  });

  it('reads long headers in a second step', async () => {
    const jpeg = (await encodeJpeg({ data: new Uint8Array(12), width: 2, height: 2 })).data;
    const many = Array.from({ length: 2000 }, (_, i) => ({ frame: i, pts: i, time: i / 25, width: 2, height: 2 }));
    const opened = await openFramePackBuffer(
      packFrames(
        many,
        many.map(() => jpeg),
      ),
    );
    expect(opened.frames).toEqual(many);
    expect(await opened.picture(1999)).toMatchObject({ width: 2, height: 2 });
  });

  it('cuts regions as in the whole picture, clamped', async () => {
    const opened = await openFramePackBuffer(pack);
    const whole = await opened.picture(0);
    const region = await opened.region(0, { x: 10, y: 20, w: 5, h: 6 });
    expect([region.width, region.height]).toEqual([5, 6]);
    expect([...region.data.subarray(0, 15)]).toEqual([
      ...whole.data.subarray((20 * whole.width + 10) * 3).subarray(0, 15),
    ]);
    expect(await opened.region(0, { x: -50, y: -50, w: 60, h: 60 })).toMatchObject({ width: 10, height: 10 });
    const side = fc.double({ min: -500, max: 500, noNaN: true });
    fc.assert(
      fc.property(side, side, side, side, (x, y, w, h) => {
        const cut = cropRgb(whole, { x, y, w, h });
        expect(cut.width).toBeGreaterThan(0);
        expect(cut.height).toBeGreaterThan(0);
        expect(cut.data).toHaveLength(cut.width * cut.height * 3);
      }),
    );
  });

  it('refuses other bytes and truncated packs', async () => {
    const jpeg = await readFile(sampleMedia().faces.audrey as string);
    await expect(openFramePackBuffer(jpeg)).rejects.toThrow(AditError);
    await expect(openFramePackBuffer(pack.subarray(0, 100))).rejects.toThrow(AditError);
    const short = await openFramePackBuffer(pack.subarray(0, pack.length - 10));
    await expect(short.picture(3)).rejects.toThrow(AditError);
    await expect(short.picture(4)).rejects.toThrow(RangeError);
  });
});
