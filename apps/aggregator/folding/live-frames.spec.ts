import { describe, expect, it } from '@jest/globals';
import { frameShown, type ShownFrames } from './live-frames.js';

const SECOND = 1_000_000;
/** Two seconds of pictures, an outage of ten, and one second more. */
const SHOWN: ShownFrames[] = [
  { frameStart: 0, frameEnd: 25, ptsStart: 0, ptsEnd: SECOND },
  { frameStart: 25, frameEnd: 50, ptsStart: SECOND, ptsEnd: 2 * SECOND },
  { frameStart: 50, frameEnd: 75, ptsStart: 12 * SECOND, ptsEnd: 13 * SECOND },
];

describe('the frame on display while somebody speaks in a live stream', () => {
  it('is counted as the stream counts: frames that were missed have no number', () => {
    expect([0, 0.5, 1.96, 12.1].map((seconds) => frameShown(SHOWN, seconds, 25))).toEqual([0, 12, 49, 52]);
  });

  it('is the last one in a gap, and the one to come behind what was stored', () => {
    expect([5, 13.4].map((seconds) => frameShown(SHOWN, seconds, 25))).toEqual([49, 85]);
  });

  it('follows from the rate where no picture is known', () => {
    expect(frameShown([], 2, 25)).toBe(50);
  });
});
