import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

interface Time {
  framesToTimecode(frames: number, nominal: number, drop: boolean): string;
  timecodeToFrames(timecode: string, nominal: number): number;
  timecodeAt(seconds: number, source: { fps: number; startTimecode: string | null; timecodeRate?: number }): string;
  tickStep(pixelsPerSecond: number, room: number): number;
  shownFor(seconds: number, sightings: number): string;
}

const time = (await import(new URL('./time.js', import.meta.url).href)) as Time;

describe('timecodes of the report', () => {
  it.each([
    [1800, 30, true, '00:01:00;02'],
    [1799, 30, true, '00:00:59;29'],
    [17982, 30, true, '00:10:00;00'],
    [107892, 30, true, '01:00:00;00'],
    [3600, 60, true, '00:01:00;04'],
    [1500, 25, false, '00:01:00:00'],
  ])('%i frames at %i (drop %s) are %s', (frames, nominal, drop, expected) => {
    expect(time.framesToTimecode(frames, nominal, drop)).toBe(expected);
  });

  it('timecodes come back as the frames they were made from', () => {
    const rates = fc.constantFrom<[number, boolean]>([24, false], [25, false], [30, false], [30, true], [60, true]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 24 * 3600 * 23 }), rates, (frames, [nominal, drop]) => {
        expect(time.timecodeToFrames(time.framesToTimecode(frames, nominal, drop), nominal)).toBe(frames);
      }),
    );
  });

  it('timecodes start at the source’s own timecode', () => {
    expect(time.timecodeAt(2, { fps: 25, startTimecode: '10:00:00:00' })).toBe('10:00:02:00');
    expect(time.timecodeAt(600, { fps: 30000 / 1001, startTimecode: null })).toBe('00:10:00;00');
    expect(time.timecodeAt(1.5, { fps: 50, startTimecode: '10:00:00:00', timecodeRate: 25 })).toBe('10:00:01:13');
  });

  it('timecodes stand far enough apart on the ruler', () => {
    for (const scale of [0.01, 0.1, 1, 7, 160]) expect(time.tickStep(scale, 110) * scale).toBeGreaterThanOrEqual(110);
  });
});

describe('shownFor', () => {
  it('says how long, and of single samples how many there were', () => {
    expect([time.shownFor(12.34, 3), time.shownFor(0, 1), time.shownFor(0, 4)]).toEqual([
      '12.3 s',
      '1 picture',
      '4 pictures',
    ]);
  });
});
