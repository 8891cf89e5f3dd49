/** @needs ffmpeg */
import { fpsMode, transcode } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { planGrid, planRange } from '../plan.js';
import { probeMedia } from '../probe.js';

const pictures = (seconds: number): string[] => ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=25:d=${seconds}`];
const sound = (seconds: number): string[] => ['-f', 'lavfi', '-i', `sine=440:d=${seconds}:r=48000`];
const FILM = ['-map', '0:v', '-map', '1:a', '-pix_fmt', 'yuv420p'];
const TS = ['-c:v', 'mpeg2video', '-c:a', 'mp2'];

describe('the duration of a film', () => {
  it.each<[string, string[], number]>([
    ['longer.mp4', [...pictures(4), ...sound(9), ...FILM], 9],
    ['longer.ts', [...pictures(4), ...sound(9), ...FILM, ...TS], 9],
    ['later.mp4', [...pictures(4), '-itsoffset', '2', ...sound(5), ...FILM], 7],
    ['earlier.mp4', ['-itsoffset', '0.5', ...pictures(2), ...sound(5), ...FILM, ...fpsMode('passthrough')], 4.5],
    ['shorter.mp4', [...pictures(4), ...sound(2), ...FILM], 4],
  ])('of %s extends to the end of the longer stream', async (name, args, duration) => {
    const { facts, index } = await probeMedia(await transcode(name, args));
    if (facts.kind !== 'video' || index === null) throw new Error('It is no film.');
    expect(Math.abs(facts.duration - duration)).toBeLessThan(0.1);
    expect(facts.totalFrames).toBe(index.totalFrames);
    // Pictures are planned without the longer sound.
    const range = { time_start: 0.5, time_end: facts.duration };
    expect(planRange(planGrid(index), index, range).at(-1)?.frameEnd).toBe(index.totalFrames);
    expect(() => planRange(planGrid(index), index, { time_start: index.duration + 0.01 })).toThrow(/pictures/);
  });
});

describe('a frame index', () => {
  it('knows which frame is on display at any time', async () => {
    // 10 pictures a second for 2 s, then 25.
    const select = "select='gte(t,2)+not(mod(n,5))',setpts=PTS";
    const film = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=50:d=4', '-vf', select, '-pix_fmt', 'yuv420p'];
    const { index } = await probeMedia(await transcode('variable.mp4', [...film, ...fpsMode('passthrough')]));
    if (index === null) throw new Error('It is no film.');
    expect([-1, 0, 0.099, 0.1, 1.95, 2, 2.039, 2.04, 99].map((seconds) => index.shownAt(seconds))).toEqual([
      0, 0, 0, 1, 19, 20, 21, 22, 119,
    ]);
  });
});
