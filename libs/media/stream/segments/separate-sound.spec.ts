import { describe, expect, it } from '@jest/globals';
import { lazyResource, type MediaPlaylist } from './media-playlist.js';
import { soundStart, type PicturePlace } from './separate-sound.js';

/** Sound in segments of a second, ten of them; the last `behind` come behind a discontinuity. */
function listed(behind: number, isDated = false): MediaPlaylist {
  const segments = Array.from({ length: 10 }, (_, at) => {
    const resource = lazyResource(() => new URL('https://example.org/a.ts'), null, null);
    const statedTime = isDated ? at * 1000 : null;
    const discontinuity = at >= 10 - behind ? 1 : 0;
    const isDiscontinuous = at === 10 - behind;
    return Object.assign(resource, {
      ...{ number: at, seconds: 1, isGap: false, map: null },
      ...{ statedTime, discontinuity, isDiscontinuous },
    });
  });
  return { kind: 'media', targetSeconds: 1, firstNumber: 0, hasEnded: false, segments };
}

const at = (secondsFromEnd: number, more: Partial<PicturePlace> = {}): PicturePlace => ({
  ...{ statedTime: null, secondsFromEnd, at: Date.now() },
  ...more,
});

describe('where sound in segments of its own is read from', () => {
  it('is the stated time of the pictures', () => {
    expect(soundStart(listed(0, true), at(3, { statedTime: 6000 }))).toBe(4);
  });

  it('is a little before the pictures where no time is stated', () => {
    expect(soundStart(listed(0), at(3))).toBeGreaterThan(4);
  });

  it('is their discontinuity where that is near: what comes before belongs to other pictures', () => {
    for (const [behind, discontinuity] of [
      [3, 1],
      [4, 1],
      [2, 1],
    ] as const) {
      expect(soundStart(listed(behind), at(3, { discontinuity }))).toBe(behind);
    }
  });

  it('is their discontinuity where the lists stood still since the pictures were listed', () => {
    const late = at(3, { discontinuity: 1, at: Date.now() - 8000 });
    expect(soundStart(listed(3), late)).toBe(3);
    expect(soundStart(listed(0), late)).toBe(10);
  });

  it('is not another discontinuity, nor one that is far away', () => {
    expect(soundStart(listed(3), at(3, { discontinuity: 7 }))).toBe(soundStart(listed(0), at(3)));
    expect(soundStart(listed(9), at(3, { discontinuity: 1 }))).toBe(soundStart(listed(0), at(3)));
  });
});
