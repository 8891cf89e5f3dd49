/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import type { Rational } from '@adit/contracts';
import { FrameIndex } from './frame-index.js';
import { frameRate, isVariable } from './frame-rate.js';
import type { ProbedStream } from '../ffmpeg/stream-facts.js';

/** A film from its frames' times in seconds, in a clock of that many ticks per second. */
function filmOf(seconds: readonly number[], ticks: number): FrameIndex {
  const pts = Float64Array.from(seconds, (time) => Math.round(time * ticks));
  return new FrameIndex({
    timeBase: { num: 1, den: ticks },
    pts,
    keyFrames: Uint32Array.of(0),
    seekPts: pts.slice(0, 1),
    seekDts: pts.slice(0, 1),
    endPts: (pts.at(-1) as number) + Math.max((pts.at(-1) as number) - (pts.at(-2) ?? 0), 1),
    hints: {
      colorMatrix: null,
      colorTransfer: null,
      colorPrimaries: null,
      pixelFormat: 'yuv420p',
      framesFlagged: false,
      timing: 'stated',
    },
    seekTable: null,
  });
}

/** Times of `count` frames at `fps`, without the `missing` ones. */
function times(count: number, fps: number, missing: (frame: number) => boolean = () => false): number[] {
  return Array.from({ length: count }, (_, frame) => frame)
    .filter((frame) => !missing(frame))
    .map((frame) => frame / fps);
}

function rateOf(index: FrameIndex, stated: Partial<ProbedStream> = {}): { fps: Rational; variable: boolean } {
  const fps = frameRate({ index: 0, ...stated }, index);
  return { fps, variable: isVariable(index, fps) };
}

const NTSC = 30_000 / 1001;
const PAL = { num: 25, den: 1 };

describe('the frame rate', () => {
  it.each([
    ['an hour at 25', filmOf(times(90_000, 25), 90_000), {}, PAL],
    ['three hours at 29.97', filmOf(times(323_676, NTSC), 90_000), {}, { num: 30_000, den: 1001 }],
    [
      '29.97 in milliseconds',
      filmOf(times(3000, NTSC), 1000),
      { r_frame_rate: '30000/1001' },
      { num: 30_000, den: 1001 },
    ],
    [
      '29.97 in a clock of 600',
      filmOf(times(3000, NTSC), 600),
      { avg_frame_rate: '30000/1001' },
      { num: 30_000, den: 1001 },
    ],
    ['fields stated for frames', filmOf(times(500, 25), 90_000), { r_frame_rate: '50/1', avg_frame_rate: '25/1' }, PAL],
    // Soft telecine: pictures of two and three fields alternate.
    [
      '23.976 told by fields',
      filmOf(
        times(2400, 24 / 1.001).map((time, frame) => time + (frame % 2) * 0.25 * (1.001 / 24)),
        90_000,
      ),
      { r_frame_rate: '60000/1001', avg_frame_rate: '24000/1001' },
      { num: 24_000, den: 1001 },
    ],
  ])('%s', (_name, index, stated, fps) => {
    expect(rateOf(index, stated).fps).toEqual(fps);
  });

  /** @hardening media: Missing frames shift timecodes */
  it('is constant where frame numbers tell the time', () => {
    expect(rateOf(filmOf(times(323_676, NTSC), 90_000)).variable).toBe(false);
    expect(rateOf(filmOf(times(3000, NTSC), 1000), { r_frame_rate: '30000/1001' }).variable).toBe(false);
  });

  it.each([
    ['a jump of four minutes', filmOf([...times(250, 25), ...times(250, 25).map((time) => time + 250)], 90_000)],
    [
      'one frame in a hundred missing',
      filmOf(
        times(90_000, 25, (frame) => frame % 100 === 50),
        90_000,
      ),
    ],
    [
      'one frame missing',
      filmOf(
        times(5000, 25, (frame) => frame === 2500),
        90_000,
      ),
    ],
    [
      'every tenth frame missing',
      filmOf(
        times(5000, 25, (frame) => frame % 10 === 1),
        90_000,
      ),
    ],
    [
      'a jump after every second frame',
      filmOf(
        times(500, 25).map((time, i) => time + Math.floor(i / 3) * 600),
        90_000,
      ),
    ],
  ])('is that of the usual distance, and numbers do not tell the time: %s', (_name, index) => {
    // The container states an average.
    expect(rateOf(index, { r_frame_rate: '19/10', avg_frame_rate: '19/10' })).toEqual({ fps: PAL, variable: true });
  });

  it('is the average where there is no usual distance', () => {
    const distances = [0.03, 0.05, 0.045, 0.06, 0.035];
    let at = 0;
    const index = filmOf(
      Array.from({ length: 500 }, (_, i) => (at += distances[i % 5] as number)),
      90_000,
    );
    const { fps, variable } = rateOf(index);
    expect(fps.num / fps.den).toBeCloseTo(5 / 0.22, 1);
    expect(variable).toBe(true);
  });

  it('is the stated one for a single picture', () => {
    expect(rateOf(filmOf([0], 90_000), { r_frame_rate: '25/1' })).toEqual({ fps: PAL, variable: false });
    expect(rateOf(filmOf([0], 90_000)).fps).toEqual({ num: 1, den: 1 });
  });
});
