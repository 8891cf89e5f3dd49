import { describe, expect, it } from '@jest/globals';
import { dateText, durationText, frameAt, positionText } from './time.js';

describe('a time', () => {
  it.each([
    [0, '0 s'],
    [1.55, '1.6 s'],
    [42.4, '42 s'],
    [180, '3 min'],
    [185, '3 min 5 s'],
    [7440, '2 h 4 min'],
    [3599.6, '1 h'],
    [-1, '0 s'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  it.each([
    [0.52, 25, '00:00:00:13'],
    [59.999, 25, '00:00:59:24'],
    [60, 25, '00:01:00:00'],
    [3661.04, 25, '01:01:01:01'],
    [1.25, null, '00:00:01.2'],
  ])('the position %d at %s frames a second is %s', (seconds, fps, text) => {
    expect(positionText(seconds, fps)).toBe(text);
  });

  it('the start of a frame, as players round it, is of that frame', () => {
    for (const fps of [24, 25, 30000 / 1001, 50]) {
      for (const frame of [0, 1, 99, 10_001]) {
        expect(frameAt(frame / fps, fps)).toBe(frame);
        expect(frameAt(Number((frame / fps).toFixed(6)), fps)).toBe(frame);
      }
    }
  });

  it('a moment of today has no date', () => {
    const now = Date.UTC(2026, 10, 30, 12);
    expect(dateText(now - 60_000, 'de', now)).toMatch(/^\d\d:\d\d$/);
    expect(dateText(now - 3 * 86_400_000, 'de', now)).toContain('27. Nov. 2026');
  });
});
