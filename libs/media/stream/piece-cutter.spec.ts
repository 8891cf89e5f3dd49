import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JUMP_US, PieceCutter, sampledFrames, type CutPiece, type StreamPlace } from './piece-cutter.js';

const SECOND = 1_000_000;
const options = (place: StreamPlace & { endUs: number } = { frame: 0, us: 0, endUs: 0 }) => ({
  pieceUs: SECOND,
  frameUs: 40_000,
  place: () => place,
});

function cut(times: readonly number[], cutter = new PieceCutter(options())): CutPiece[] {
  const pieces = times.flatMap((time) => cutter.add(time, 0) ?? []);
  const left = cutter.end();
  return left === null ? pieces : [...pieces, left];
}

describe('pieces of a run', () => {
  it('hold each frame once, in order, no more than a piece is long, and follow each other', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 900_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, (distances) => {
        let at = 0;
        const times = [0, ...distances.map((step) => (at += step))];
        const pieces = cut(times);
        const frames = pieces.flatMap((piece) => piece.frames);
        expect(frames.map(({ runUs }) => runUs)).toEqual(times);
        expect(frames.map((frame) => frame.at.frame)).toEqual(times.map((_, i) => i));
        for (const [i, { frames: own, endUs }] of pieces.entries()) {
          const [first, last] = [own[0]!.at.us, own.at(-1)!.at.us];
          expect(last - first).toBeLessThan(SECOND);
          const next = pieces[i + 1]?.frames[0]?.at.us ?? last + 40_000;
          expect(endUs).toBe(next);
        }
      }),
    );
  });

  it('end before a hole, and go on behind it', () => {
    const pieces = cut([0, 40_000, 80_000, 3_080_000, 3_120_000]);
    expect(pieces.map(({ frames, endUs }) => [frames.length, frames[0]!.at.us, endUs])).toEqual([
      [3, 0, 120_000],
      [2, 3_080_000, 3_160_000],
    ]);
  });

  it('are numbered and timed from the place in the stream, without what was read before', () => {
    const place = { frame: 700, us: 59_900_000, endUs: 60_000_000 };
    const [piece] = cut([0, 40_000, 80_000, 120_000, 160_000], new PieceCutter(options(place)));
    expect(piece!.frames.map(({ at }) => [at.frame, at.us])).toEqual([
      [700, 60_020_000],
      [701, 60_060_000],
    ]);
  });

  it('go by the wall clock where the clock of the run jumps', () => {
    const places = [
      { frame: 0, us: 0, endUs: 0 },
      { frame: 0, us: 2_000_000, endUs: 80_000 },
    ];
    const cutter = new PieceCutter({ ...options(), place: () => places.shift()! });
    const pieces = cut([0, 40_000, 40_000 + JUMP_US + 1, 40_000 + JUMP_US + 40_001], cutter);
    expect(pieces.map(({ frames }) => frames.map(({ at }) => [at.frame, at.us]))).toEqual([
      [
        [0, 0],
        [1, 40_000],
      ],
      [
        [2, 2_000_000],
        [3, 2_040_000],
      ],
    ]);
  });

  it('go by the wall clock where a step has no time to happen, when frames come as they are filmed', () => {
    const cutAt = (arrived: number) => {
      const places = [
        { frame: 0, us: 0, endUs: 0 },
        { frame: 0, us: 80_000, endUs: 40_000 },
      ];
      const cutter = new PieceCutter({ ...options(), isPaced: true, place: () => places.shift()! });
      const times = [
        [0, 0],
        [40_000, 40],
        [5_040_000, arrived],
      ] as const;
      const pieces = times.flatMap(([runUs, at]) => cutter.add(runUs, at) ?? []);
      return [...pieces, cutter.end()!].flatMap(({ frames }) => frames.map(({ at }) => at.us));
    };
    // The camera's clock was set.
    expect(cutAt(80)).toEqual([0, 40_000, 80_000]);
    // Five seconds are missing.
    expect(cutAt(5_040)).toEqual([0, 40_000, 5_040_000]);
  });

  it('sample the first frame at or after each multiple of the period', () => {
    const [frames] = [cut([0, 330_000, 500_000, 510_000, 980_000]).flatMap((piece) => piece.frames)];
    expect(sampledFrames(frames, 2).map(({ runUs }) => runUs)).toEqual([0, 500_000]);
    expect(sampledFrames(frames, 3).map(({ runUs }) => runUs)).toEqual([0, 500_000, 980_000]);
  });
});
