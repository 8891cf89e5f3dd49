import { filmFacts } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { windowBefore, windowBehind } from './border-windows.js';

const film = filmFacts({ totalFrames: 1000 });

describe('the window of a border', () => {
  it.each([
    // Every thirteenth frame of 25 a second was sampled at the most.
    [375, null, { from: 363, to: 375 }, { from: 375, to: 387 }],
    [5, null, { from: 0, to: 5 }, { from: 5, to: 17 }],
    [0, null, null, { from: 0, to: 12 }],
    [995, null, { from: 983, to: 995 }, { from: 995, to: 999 }],
    [999, null, { from: 987, to: 999 }, null],
    [375, { frame_start: 370, frame_end: 375 }, { from: 370, to: 375 }, null],
    [375, { frame_start: 375 }, null, { from: 375, to: 387 }],
    [375, { time_start: 14.9, time_end: 15.1 }, { from: 373, to: 375 }, { from: 375, to: 377 }],
  ])(
    'at frame %d of a job with the range %j holds the frames up to the next sample',
    (frame, range, before, behind) => {
      const module = { row: { range }, rate: 2 };
      expect([windowBefore(frame, module, film), windowBehind(frame, module, film)]).toEqual([before, behind]);
    },
  );
});
