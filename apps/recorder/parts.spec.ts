import type { VideoFacts } from '@adit/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import { Parts } from './parts.js';
import type { SpooledPiece } from './live-chunks.js';
import type { SpooledSound } from './sound-chunks.js';

const ZERO = new Date('2026-11-30T12:00:00Z');
const FACTS = { fps: { num: 25, den: 1 }, startTimecode: '12:00:00:00' } as VideoFacts;

/** A second of 25 frames, whose first one is sampled. */
function picture(second: number): SpooledPiece {
  const [frame, pts] = [second * 25, second * 1e6];
  const frames = [{ frame, pts, time: second, width: 64, height: 36 }];
  const interval = { frameStart: frame, frameEnd: frame + 25, ptsStart: pts, ptsEnd: pts + 1e6, seekPts: pts };
  const pictures = new Map([['faces', { frames, jpegs: [Buffer.from('jpeg')] }]]);
  return { id: 'a', piece: { interval, pictures, arrived: 0 }, facts: FACTS, zeroAt: ZERO, reason: null };
}

/** A part of sound with a second before it. */
function heard(from: number, to: number): SpooledSound {
  const interval = { startMs: from * 1000, endMs: to * 1000 };
  const sound = { interval, start: (from - 1) * 16_000, samples: new Float32Array(0), arrived: 0 };
  return { id: 'b', sound, zeroAt: ZERO, reason: null };
}

const name = (item: SpooledPiece | SpooledSound): string =>
  'piece' in item ? `picture ${item.piece.interval.ptsStart / 1e6}` : `sound ${item.sound.interval.startMs / 1000}`;
const order = (parts: Parts, ...items: (SpooledPiece | SpooledSound)[]): string[] =>
  items.flatMap((item) => parts.inOrder(item)).map(name);
/** Begins a part with an item where it has to. */
const begin = (parts: Parts, item: SpooledPiece): number | null => {
  const border = parts.borderBefore(item);
  if (border !== null) parts.begin(item);
  return border;
};

describe('the parts of a stream', () => {
  it('are those of its length, with times and frames of their own', () => {
    const parts = new Parts(10);
    expect(begin(parts, picture(9))).toBeNull();
    expect(parts.fit(picture(9))).toEqual(picture(9));
    expect(begin(parts, picture(10))).toBe(10_000_000);
    expect(parts.startUs).toBe(10_000_000);
    const second = parts.fit(picture(10));
    const own = { zeroAt: new Date('2026-11-30T12:00:10Z'), facts: { ...FACTS, startTimecode: '12:00:10:00' } };
    expect(second).toEqual({ ...picture(0), ...own });
    expect(parts.fit(picture(11))).toEqual({ ...picture(1), ...own });
    expect(begin(parts, picture(20))).toBe(10_000_000);
    expect(parts.fit(picture(20))).toMatchObject({ piece: picture(0).piece });
  });

  it('begin at the last border before a picture, however long nothing came', () => {
    const parts = new Parts(10);
    expect(begin(parts, picture(34))).toBe(30_000_000);
    expect(parts.fit(picture(34))).toMatchObject({
      piece: { interval: { frameStart: 0, ptsStart: 4_000_000 } },
      zeroAt: new Date('2026-11-30T12:00:30Z'),
    });
  });

  it('may begin late: the one before has what is stored until then', () => {
    const parts = new Parts(10);
    expect([parts.borderBefore(picture(10)), parts.borderBefore(picture(11))]).toEqual([10_000_000, 10_000_000]);
    expect(parts.fit(picture(11))).toEqual(picture(11));
    expect(begin(parts, picture(12))).toBe(10_000_000);
    expect(parts.fit(picture(12))).toMatchObject({ piece: { interval: { frameStart: 0, ptsStart: 2_000_000 } } });
  });

  it('are one where the stream is not split', () => {
    const parts = new Parts(null);
    expect(order(parts, picture(1), heard(1, 4), picture(1e6))).toEqual(['picture 1', 'sound 1', 'picture 1000000']);
    expect(begin(parts, picture(1e6))).toBeNull();
  });

  it('have the sound before a border with them, though it comes behind the pictures', () => {
    const parts = new Parts(10);
    const stored = order(parts, heard(4, 7), picture(9), picture(10), picture(11), heard(7, 10), picture(12));
    expect(stored).toEqual(['sound 4', 'picture 9', 'sound 7', 'picture 10', 'picture 11', 'picture 12']);
  });

  it('do not wait for sound that is there, nor where none is heard', () => {
    expect(order(new Parts(10), heard(7, 9.95), picture(9), picture(10))).toEqual([
      'sound 7',
      'picture 9',
      'picture 10',
    ]);
    expect(order(new Parts(10), picture(9), picture(10))).toEqual(['picture 9', 'picture 10']);
  });

  it('wait for seconds alone, and lose nothing at the end', () => {
    jest.useFakeTimers({ now: 0 });
    const parts = new Parts(10);
    expect(order(parts, heard(4, 7), picture(9), picture(10))).toEqual(['sound 4', 'picture 9']);
    jest.advanceTimersByTime(3_500);
    expect(order(parts, picture(11))).toEqual(['picture 10', 'picture 11']);
    expect(order(parts, picture(20))).toEqual([]);
    expect(parts.rest().map(name)).toEqual(['picture 20']);
  });

  it('begin with pictures: sound behind a border waits for them', () => {
    const parts = new Parts(10);
    expect(order(parts, heard(7, 10), heard(10, 14), picture(9))).toEqual(['sound 7', 'picture 9']);
    expect(order(parts, picture(10))).toEqual(['picture 10', 'sound 10']);
  });

  it('shift sound to their own time, and leave out what comes too late', () => {
    const parts = new Parts(10);
    parts.begin(picture(10));
    expect(parts.fit(heard(7, 10))).toBeNull();
    expect(parts.fit(heard(12, 15))).toMatchObject({
      sound: { interval: { startMs: 2000, endMs: 5000 }, start: 16_000 },
      zeroAt: new Date('2026-11-30T12:00:10Z'),
    });
    expect(parts.fit(heard(10, 14))).toMatchObject({ sound: { start: -16_000, interval: { startMs: 0 } } });
  });
});
