/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import type { VideoFacts } from '@adit/contracts';
import { numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { decodeInterval, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from '../index.js';

describe('the filter graph', () => {
  /** @hardening overload: Decoding takes more memory than there is */
  it.each([3.5, 5, 12])('picks %s frames per second of 30 s', async (rate) => {
    const path = await transcode('long-chunk.mp4', [
      ...['-f', 'lavfi', '-i', numberedFilm({ seconds: 30 }), '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
      ...['-preset', 'veryfast', '-g', '9999', '-keyint_min', '9999', '-sc_threshold', '0'],
    ]);
    const { facts, index } = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
    const [interval, ...others] = planGrid(index);
    expect(others).toEqual([]);
    const packs = await decodeInterval({ path, facts, index, interval: interval!, specs: [{ rate, shorterSide: 48 }] });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames).toHaveLength(30 * rate);
    for (const [i, { frame }] of pack.frames.entries())
      expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(frame);
  });
});
