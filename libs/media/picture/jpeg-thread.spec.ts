import { beforeAll, describe, expect, it } from '@jest/globals';
import { sampleMedia } from '@adit/testing';
import { decodeImageFile, decodeJpeg, encodeJpeg } from '../index.js';
import { JpegThread } from './jpeg-thread.js';

describe('the JPEG thread', () => {
  const thread = new JpegThread();
  const jpegs: Buffer[] = [];

  beforeAll(async () => {
    const image = await decodeImageFile(sampleMedia().faces.franck_02221 as string);
    for (const maxSide of [300, 200, 100]) jpegs.push((await encodeJpeg(image, { maxSide })).data);
  });

  it('gives the same pixels as the calling thread, several pictures at a time', async () => {
    const expected = await Promise.all(jpegs.map(decodeJpeg));
    const pictures = await Promise.all([...jpegs, ...jpegs].map((jpeg) => thread.decode(jpeg)));
    for (const [index, { data, width, height }] of pictures.entries()) {
      const same = expected[index % jpegs.length]!;
      expect([width, height]).toEqual([same.width, same.height]);
      expect(Buffer.from(same.data).equals(data)).toBe(true);
    }
  });

  it('decodes a view of a larger buffer, and leaves the buffer unchanged', async () => {
    const [jpeg] = jpegs as [Buffer];
    const larger = Buffer.concat([Buffer.alloc(100), jpeg, Buffer.alloc(50)]);
    const { width } = await thread.decode(larger.subarray(100, 100 + jpeg.length));
    expect(width).toBe((await decodeJpeg(jpeg)).width);
    expect(larger.subarray(100, 100 + jpeg.length).equals(jpeg)).toBe(true);
  });

  it('reports why a picture cannot be decoded, and continues with others', async () => {
    const broken = thread.decode(Buffer.from('no picture'));
    const next = thread.decode(jpegs[0]!);
    await expect(broken).rejects.toThrow(/unsupported image format/);
    expect((await next).data.length).toBeGreaterThan(0);
  });
});
