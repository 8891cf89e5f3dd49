/** @needs ffmpeg */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { cachedMedia, transcode } from '@adit/testing';
import { barePictureBytes } from '../../picture/bare-picture.js';
import { probeMedia } from '../../index.js';

/** Builds an APNG of the given number of pictures. */
function animated(pictures: number): Promise<string> {
  return transcode(`${pictures}.apng`, [
    ...['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=4', '-frames:v', String(pictures), '-f', 'apng', '-plays', '0'],
  ]);
}

describe('a PNG', () => {
  it('is refused when it is animated, as a WebP is', async () => {
    const path = await animated(4);
    const refusal = { code: 'MEDIA_INVALID', message: expect.stringMatching(/PNG picture is animated/) };
    await expect(probeMedia(path)).rejects.toMatchObject(refusal);
    await expect(barePictureBytes(path)).rejects.toMatchObject(refusal);
  });

  it('is a picture when its animation has no second one', async () => {
    const moving = await animated(4);
    const path = await cachedMedia('alone.apng', moving, async (target) => {
      const bytes = await readFile(moving);
      const at = bytes.indexOf('acTL', 0, 'latin1');
      expect(bytes.readUInt32BE(at + 4)).toBe(4);
      bytes.writeUInt32BE(1, at + 4);
      await writeFile(target, bytes);
    });
    expect((await probeMedia(path)).facts).toEqual({ kind: 'image', format: 'png', width: 64, height: 48 });
  });
});
