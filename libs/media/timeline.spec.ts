/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { VideoFacts } from '@adit/contracts';
import { cachedMedia, numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { decodeInterval, openFramePackBuffer, planGrid, probeMedia, type FrameIndex } from './index.js';

/** A transport stream of `seconds` whose clock begins at `offset` seconds. */
function stream(offset: number, seconds: number): Promise<string> {
  return transcode(`from-${offset}.ts`, [
    ...['-f', 'lavfi', '-i', numberedFilm({ seconds }), '-pix_fmt', 'yuv420p', '-c:v', 'libx264'],
    ...['-preset', 'veryfast', '-bf', '2', '-g', '50', '-output_ts_offset', String(offset), '-f', 'mpegts'],
  ]);
}

async function joined(parts: string[]): Promise<string> {
  return cachedMedia('joined.ts', parts, async (path) => {
    await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  });
}

describe('the timeline of a film', () => {
  it('keeps rate, numbers and times across a jump forward, and no chunk crosses it', async () => {
    const path = await joined([await stream(100, 12), await stream(400, 12)]);
    const { facts, index } = (await probeMedia(path)) as { facts: VideoFacts; index: FrameIndex };
    expect(facts).toMatchObject({ fps: { num: 25, den: 1 }, variableFrameRate: true, totalFrames: 600 });
    expect(facts.duration).toBeCloseTo(312, 1);
    const grid = planGrid(index);
    expect(grid.map(({ frameStart, frameEnd }) => [frameStart, frameEnd])).toEqual([
      [0, 300],
      [300, 600],
    ]);
    const specs = [{ rate: 1, shorterSide: 'native' as const }];
    const packs = await decodeInterval({ path, facts, index, interval: grid[1]!, specs });
    const pack = await openFramePackBuffer([...packs.values()][0] as Buffer);
    expect(pack.frames).toHaveLength(12);
    for (const [i, { frame }] of pack.frames.entries())
      expect(readNumber(rgbLuminance(await pack.picture(i)))).toBe(frame - 300);
  });

  it.each([
    ['by a little', 100, 95],
    // ffmpeg takes this for a clock that begins again, and adds 26.5 hours.
    ['by more than a minute', 4000, 100],
  ])('that jumps back %s is refused, and the reason says so', async (_name, first, second) => {
    const path = await joined([await stream(first, 12), await stream(second, 12)]);
    const back = `${first + 12 - second}`.slice(0, -1);
    await expect(probeMedia(path)).rejects.toMatchObject({
      code: 'MEDIA_INVALID',
      message: expect.stringMatching(new RegExp(`jump back by ${back}\\d\\.\\d s .*joined recordings`)),
    });
  });

  it('counts timecodes at the rate of their track', async () => {
    const film = (rate: number, more: string[]) =>
      transcode(`at-${rate}.mov`, [...['-f', 'lavfi', '-i', `color=s=64x64:r=${rate}:d=2`, '-c:v', 'mpeg4'], ...more]);
    const halves = await transcode('track-of-25.mov', [
      ...['-i', await film(50, []), '-i', await film(25, ['-timecode', '10:00:00:00'])],
      ...['-map', '0:v', '-map', '1:d', '-c', 'copy', '-write_tmcd', '0'],
    ]);
    const { facts } = await probeMedia(halves);
    expect(facts).toMatchObject({
      fps: { num: 50, den: 1 },
      startTimecode: '10:00:00:00',
      timecodeRate: { num: 25, den: 1 },
    });
    const fast = (await probeMedia(await film(120, ['-timecode', '10:00:00:119']))).facts;
    expect(fast).toMatchObject({ fps: { num: 120, den: 1 }, startTimecode: '10:00:00:119' });
    expect(fast).not.toHaveProperty('timecodeRate');
  });
});
