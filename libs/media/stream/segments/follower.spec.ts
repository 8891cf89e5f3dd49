import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Follower } from './follower.js';
import type { MediaPlaylist, Segment } from './media-playlist.js';

interface Made {
  discontinuous?: boolean;
  gap?: boolean;
  time?: number | null;
  map?: string | null;
}

function segment(number: number, { discontinuous = false, gap = false, time = null, map = null }: Made = {}): Segment {
  return {
    url: new URL(`https://example.org/${number}.ts`),
    byteRange: null,
    key: null,
    number,
    seconds: 2,
    isDiscontinuous: discontinuous,
    isGap: gap,
    map: map === null ? null : { url: new URL(map), byteRange: null, key: null },
    statedTime: time,
  };
}

function playlist(
  first: number,
  count: number,
  made: (number: number) => Made = () => ({}),
  end = false,
): MediaPlaylist {
  const segments = Array.from({ length: count }, (_, at) => segment(first + at, made(first + at)));
  return { kind: 'media', targetSeconds: 2, firstNumber: first, hasEnded: end, segments };
}

/** What is read now: numbers, with a mark where a run begins. */
function readAll(follower: Follower): string[] {
  const read: string[] = [];
  for (let next = follower.next(); next !== null; next = follower.next()) {
    read.push(`${next.begins ? '|' : ''}${next.segment.number}${next.gap === null ? '' : ` (${next.gap})`}`);
    follower.took(next.segment);
  }
  return read;
}

describe('following a live playlist', () => {
  it('goes on where the numbers of segments contradict the playlist', () => {
    const follower = new Follower();
    const odd = { ...playlist(0, 3, () => ({ gap: true })), firstNumber: 100 };
    follower.update(odd);
    expect(readAll(follower)).toEqual([]);
    follower.update({ ...playlist(0, 3), firstNumber: 200 });
    expect(readAll(follower)).toHaveLength(3);
  });

  it('begins at the third segment from the end, and takes each once', () => {
    const follower = new Follower();
    expect(follower.update(playlist(10, 6))).toBe(true);
    expect(readAll(follower)).toEqual(['|13', '14', '15']);
    expect(follower.update(playlist(10, 6))).toBe(false);
    expect(follower.update(playlist(12, 6))).toBe(true);
    expect(readAll(follower)).toEqual(['16', '17']);
    expect(follower.isOver).toBe(false);
    expect(follower.update(playlist(12, 7, undefined, true))).toBe(true);
    expect(follower.isOver).toBe(false);
    expect(readAll(follower)).toEqual(['18']);
    expect(follower.isOver).toBe(true);
  });

  it('says how much was lost, and why', () => {
    const follower = new Follower();
    follower.update(playlist(0, 3));
    readAll(follower);
    follower.update(playlist(5, 4, (number) => ({ gap: number === 5 })));
    follower.missed(follower.next()!.segment, 'could not be read');
    expect(readAll(follower)).toEqual([
      '|7 (no longer listed when their turn came: 2 segments (about 4 s); ' +
        'marked as gaps by the server: 1 segment (about 2 s); could not be read: 1 segment (about 2 s))',
      '8',
    ]);
  });

  it('passes over an older playlist, but not over a stream that counts anew', () => {
    const follower = new Follower();
    follower.update(playlist(20, 5));
    readAll(follower);
    for (const [first, count] of [
      [20, 4],
      [18, 5],
      [20, 0],
    ] as const) {
      expect(follower.update(playlist(first, count))).toBe(false);
    }
    expect(follower.next()).toBeNull();
    expect(follower.update(playlist(0, 2))).toBe(true);
    expect(readAll(follower)).toEqual(['|0 (the stream restarted)', '1']);

    // A stream of a few segments that restarts is told by its clock.
    const dated = (start: number) => (number: number) => ({ time: start + number * 2000 });
    const short = new Follower();
    short.update(playlist(0, 3, dated(1_000_000)));
    readAll(short);
    expect(short.update(playlist(0, 2, dated(1_000_000)))).toBe(false);
    expect(short.update(playlist(0, 2, dated(2_000_000)))).toBe(true);
    expect(readAll(short)).toEqual(['|0 (the stream restarted)', '1']);
  });

  it('begins a run at a discontinuity and another map, where nothing was lost', () => {
    const follower = new Follower();
    const map = (number: number) => `https://example.org/init${number < 2 ? 1 : 2}`;
    follower.update(playlist(0, 3, (number) => ({ map: map(number), discontinuous: number === 0 })));
    expect(readAll(follower)).toEqual(['|0', '1', '|2']);
    follower.update(playlist(2, 3, (number) => ({ map: map(number), discontinuous: number === 4 })));
    expect(readAll(follower)).toEqual(['3', '|4']);
  });

  it('goes on with the wall clock when the stated time has left the window', () => {
    const follower = new Follower();
    follower.update(playlist(0, 3, (number) => ({ time: 10_000 + number * 2000 })));
    readAll(follower);
    follower.update(playlist(3, 2));
    const next = follower.next()!;
    expect(next.segment.statedTime).toBe(16_000);
    follower.took(next.segment);
    expect(follower.next()?.segment.statedTime).toBe(18_000);
  });

  it('never takes a segment twice nor out of order, and accounts for each, whatever happens', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('grow' as const), by: fc.integer({ min: 0, max: 8 }) }),
      fc.record({ kind: fc.constant('stale' as const), by: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ kind: fc.constant('restart' as const), by: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant('fail' as const), by: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(event, { maxLength: 40 }), (window, events) => {
        const follower = new Follower();
        let end = 50;
        let fails = false;
        /** Number of the last segment that was read or named as lost since the stream counts as it does. */
        let known: number | null = null;
        for (const { kind, by } of events) {
          if (kind === 'fail') fails = true;
          if (kind === 'grow') end += by;
          if (kind === 'restart') {
            const anew = Math.max(by, (known ?? end) - 50);
            // Else it cannot be told from an older playlist.
            if (known === null || anew < known - 2) [end, known] = [anew, null];
          }
          const last = kind === 'stale' ? end - by : end;
          const first = Math.max(last - window, 0);
          follower.update(playlist(first, last - first, (number) => ({ gap: number % 11 === 7 })));
          for (let next = follower.next(); next !== null; next = follower.next()) {
            const { segment: taken, begins, gap } = next;
            const follows = known === null || taken.number === known + 1;
            if (known !== null) expect(taken.number).toBeGreaterThan(known);
            if (!follows) expect(begins).toBe(true);
            if (!follows && gap !== null) expect(gap).toMatch(/segment/);
            known = taken.number;
            if (fails) follower.missed(taken, 'could not be read');
            else follower.took(taken);
            fails = false;
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
