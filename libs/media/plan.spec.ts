/** @needs ffmpeg */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AditError, type VideoFacts } from '@adit/contracts';
import { FrameIndex } from './video/frame-index.js';
import { planGrid, planRange, sampleFrames } from './plan.js';

const hints = {
  colorMatrix: null,
  colorTransfer: null,
  colorPrimaries: null,
  pixelFormat: 'yuv420p',
  framesFlagged: false,
  timing: 'stated',
} as const;

/** A film of 1/1000 s ticks from frame durations and keyframe numbers. */
function filmOf(steps: number[], keys: number[], start = 0): { facts: VideoFacts; index: FrameIndex } {
  const pts = new Float64Array(steps.length);
  let at = start;
  steps.forEach((step, i) => {
    pts[i] = at;
    at += step;
  });
  const keyFrames = [...new Set([0, ...keys.map((key) => key % steps.length)])].sort((a, b) => a - b);
  const index = new FrameIndex({
    timeBase: { num: 1, den: 1000 },
    pts,
    keyFrames: Uint32Array.from(keyFrames),
    seekPts: Float64Array.from(keyFrames, (frame) => pts[frame] as number),
    seekDts: Float64Array.from(keyFrames, (frame) => (pts[frame] as number) - 80),
    endPts: at,
    hints,
    seekTable: null,
  });
  return { index, facts: { duration: index.duration, totalFrames: steps.length } as VideoFacts };
}

const film = fc
  .record({
    steps: fc.oneof(
      fc.integer({ min: 1, max: 3000 }).map((length) => Array<number>(length).fill(40)),
      fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 200 }),
    ),
    keys: fc.array(fc.nat(), { maxLength: 40 }),
    start: fc.integer({ min: -5000, max: 1e9 }),
  })
  .map(({ steps, keys, start }) => filmOf(steps, keys, start));

describe('planGrid', () => {
  it('covers every frame once, in order, in chunks of at most 30 s that can be decoded', () => {
    fc.assert(
      fc.property(film, ({ index }) => {
        let next = 0;
        for (const chunk of planGrid(index)) {
          expect(chunk.frameStart).toBe(next);
          expect(chunk.frameEnd).toBeGreaterThan(chunk.frameStart);
          expect(chunk.ptsStart).toBe(index.pts[chunk.frameStart]);
          expect(chunk.ptsEnd).toBe(index.ptsOf(chunk.frameEnd));
          expect(chunk.seekPts).toBeLessThanOrEqual(chunk.ptsStart);
          if (chunk.frameEnd - chunk.frameStart > 1) expect(chunk.ptsEnd - chunk.ptsStart).toBeLessThanOrEqual(30_000);
          next = chunk.frameEnd;
        }
        expect(next).toBe(index.totalFrames);
      }),
    );
  });

  it('cuts at keyframes where there are enough', () => {
    const { index } = filmOf(
      Array<number>(3000).fill(40),
      Array.from({ length: 60 }, (_, i) => i * 50),
    );
    const grid = planGrid(index);
    expect(grid.map((chunk) => chunk.frameStart)).toEqual([
      0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2250, 2500, 2750,
    ]);
    expect(grid.every((chunk) => chunk.seekPts === chunk.ptsStart)).toBe(true);
  });

  it('cuts at 30 s where one keyframe is all there is', () => {
    const { index } = filmOf(Array<number>(15_000).fill(40), []);
    const grid = planGrid(index);
    expect(grid).toHaveLength(20);
    expect(grid.every((chunk) => chunk.seekPts === 0 && chunk.frameEnd - chunk.frameStart === 750)).toBe(true);
  });
});

describe('planRange', () => {
  it('takes exactly the frames asked for, and whole chunks as they are', () => {
    fc.assert(
      fc.property(film, fc.nat(), fc.nat(), ({ index }, a, b) => {
        const [first, last] = [a % index.totalFrames, b % index.totalFrames].sort((x, y) => x - y) as [number, number];
        const grid = planGrid(index);
        const chunks = planRange(grid, index, { frame_start: first, frame_end: last });
        expect(chunks[0]?.frameStart).toBe(first);
        expect(chunks.at(-1)?.frameEnd).toBe(last + 1);
        chunks.slice(1).forEach((chunk, i) => expect(chunk.frameStart).toBe(chunks[i]?.frameEnd));
        for (const chunk of chunks.slice(1, -1)) expect(grid).toContain(chunk);
        // Only a range that begins after the film's start adds a frame that would not be sampled otherwise.
        expect(chunks.map((chunk) => chunk.first ?? false)).toEqual(chunks.map((_, i) => i === 0 && first > 0));
      }),
    );
  });

  it('covers the same interval by seconds and by frames', () => {
    fc.assert(
      fc.property(film, fc.nat(), fc.nat(), ({ index }, a, b) => {
        const [first, last] = [a % index.totalFrames, b % index.totalFrames].sort((x, y) => x - y) as [number, number];
        const grid = planGrid(index);
        const secondsOf = (frame: number) => index.seconds(index.ptsOf(frame));
        const byTime = planRange(grid, index, { time_start: secondsOf(first), time_end: secondsOf(last) });
        expect(byTime).toEqual(planRange(grid, index, { frame_start: first, frame_end: last }));
      }),
    );
  });

  it('counts seconds from the first frame, both ends included', () => {
    const { index } = filmOf(Array<number>(1500).fill(40), [], 7000);
    const grid = planGrid(index);
    const frames = (range: object) => {
      const chunks = planRange(grid, index, range);
      return [chunks[0]?.frameStart, chunks.at(-1)?.frameEnd];
    };
    expect(frames({ time_start: 10, time_end: 20 })).toEqual([250, 501]);
    expect(frames({ time_start: 10.001, time_end: 20.001 })).toEqual([251, 501]);
    expect(frames({ time_end: 1 })).toEqual([0, 26]);
    expect(frames({ time_start: 3, time_end: 3 })).toEqual([75, 76]);
    expect(frames({ time_start: 59 })).toEqual([1475, 1500]);
    expect(frames({ time_start: 10.01, time_end: 10.02 })).toEqual([250, 251]);
    expect(frames({ time_start: 59.99, time_end: 90 })).toEqual([1499, 1500]);
    expect(frames({ frame_end: 5000 })).toEqual([0, 1500]);
    expect(() => frames({ time_start: 60 })).toThrow(AditError);
    expect(() => frames({ frame_start: 1500 })).toThrow(AditError);
  });
});

describe('sampleFrames', () => {
  const rate = fc.oneof(
    fc.constantFrom(0.5, 1, 2, 5, 25, 29.97, 1000),
    fc.double({ min: 0.01, max: 120, noNaN: true }),
  );

  it('chooses the same frames whatever the chunks are', () => {
    fc.assert(
      fc.property(film, rate, fc.nat(), ({ index }, perSecond, at) => {
        const total = index.totalFrames;
        const whole = sampleFrames(index, { frameStart: 0, frameEnd: total }, perSecond);
        const middle = at % (total + 1);
        const parts = [
          ...sampleFrames(index, { frameStart: 0, frameEnd: middle }, perSecond),
          ...sampleFrames(index, { frameStart: middle, frameEnd: total }, perSecond),
        ];
        expect(parts).toEqual(whole);
        expect(whole[0]?.frame).toBe(0);
      }),
    );
  });

  /** @hardening media: A range shorter than the sampling step is empty */
  it('chooses the first frame of a range, and then those of the whole film', () => {
    fc.assert(
      fc.property(film, rate, fc.nat(), fc.nat(), ({ index }, perSecond, a, b) => {
        const [first, last] = [a % index.totalFrames, b % index.totalFrames].sort((x, y) => x - y) as [number, number];
        const whole = sampleFrames(index, { frameStart: 0, frameEnd: index.totalFrames }, perSecond);
        const chunks = planRange(planGrid(index), index, { frame_start: first, frame_end: last });
        const [begin, ...rest] = chunks
          .flatMap((chunk) => sampleFrames(index, chunk, perSecond))
          .map(({ frame }) => frame);
        expect(begin).toBe(first);
        expect(rest).toEqual(whole.map(({ frame }) => frame).filter((frame) => frame > first && frame <= last));
      }),
    );
  });

  it('chooses the first frame at or after each multiple', () => {
    fc.assert(
      fc.property(film, fc.constantFrom(0.5, 1, 2, 4), ({ index }, perSecond) => {
        const expected = new Set<number>();
        for (let n = 0; n / perSecond <= index.seconds(index.pts.at(-1) as number); n++) {
          expected.add(index.firstAtOrAfter(index.startPts + (n * 1000) / perSecond));
        }
        const chosen = sampleFrames(index, { frameStart: 0, frameEnd: index.totalFrames }, perSecond);
        expect(chosen.map((sample) => sample.frame)).toEqual([...expected]);
      }),
    );
  });
});

describe('FrameIndex', () => {
  it('comes back from its compact form', () => {
    fc.assert(
      fc.property(film, ({ index }) => {
        expect(FrameIndex.decode(index.encode())).toEqual(index);
      }),
    );
  });

  it('is small for a constant frame rate', () => {
    const { index } = filmOf(Array<number>(900_000).fill(40), []);
    expect(index.encode().length).toBeLessThan(20_000);
  });

  it('refuses other bytes', () => {
    const good = filmOf([40, 40], []).index.encode();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.nat(good.length - 1).map((end) => good.subarray(0, end)),
        ),
        (bytes) => {
          expect(() => FrameIndex.decode(Buffer.from(bytes))).toThrow(AditError);
        },
      ),
    );
  });
});
