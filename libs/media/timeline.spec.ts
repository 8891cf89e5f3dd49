/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { VideoFacts } from '@adit/contracts';
import { cachedMedia, numberedFilm, readNumber, rgbLuminance, transcode } from '@adit/testing';
import { clockGaps } from './clock-gaps.js';
import { decodeInterval, FrameIndex, openFramePackBuffer, planGrid, probeMedia } from './index.js';

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
    const [from, to] = [expect.closeTo(12, 2), expect.closeTo(300, 2)];
    expect(facts.gaps).toEqual({ count: 1, seconds: expect.closeTo(288, 2), longest: [{ from, to }] });
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

  it('has no gaps where pictures follow each other, and names the longest of many', async () => {
    const plain = (await probeMedia(await stream(100, 12))).facts;
    expect(plain).not.toHaveProperty('gaps');
    const film = (times: number[]) =>
      new FrameIndex({
        ...{ timeBase: { num: 1, den: 25 }, pts: Float64Array.from(times), endPts: times.at(-1)! + 1 },
        ...{ keyFrames: new Uint32Array(), seekPts: new Float64Array(), seekDts: new Float64Array(), seekTable: null },
        hints: { timing: 'stated' } as FrameIndex['hints'],
      });
    const fps = { num: 25, den: 1 };
    // Two pictures, then three seconds and a little more each time.
    const many = Array.from({ length: 300 }, (_, at) => at * 100 + at * at);
    const gaps = clockGaps(film(many.flatMap((at) => [at, at + 1])), fps)!;
    expect(gaps.count).toBe(299);
    expect(gaps.longest).toHaveLength(50);
    expect(gaps.longest.at(-1)).toEqual({ from: (many[298]! + 2) / 25, to: many[299]! / 25 });
    expect(gaps.seconds).toBeCloseTo((many[299]! - 2 * 299) / 25);
    expect(clockGaps(film([0, 250, 500]), { num: 1, den: 10 })).toBeNull();
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
