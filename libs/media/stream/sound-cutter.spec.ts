import { describe, expect, it } from '@jest/globals';
import { SoundCutter, type LiveSound } from './sound-cutter.js';

const RATE = 16_000;
/** Samples of a frame of AAC at 48 kHz, resampled. */
const BLOCK = 341;

/** A voice: a tone that is silent in the pauses, given in seconds. */
function voice(seconds: number, pauses: readonly (readonly [number, number])[] = []): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * RATE) }, (_, i) => {
    const at = i / RATE;
    return pauses.some(([from, to]) => at >= from && at < to) ? 0 : 0.3 * Math.sin(i / 5);
  });
}

interface Piece {
  /** Seconds on the run's clock. */
  at: number;
  samples: Float32Array;
}

/** Cuts pieces of a run whose pictures come with them, 25 a second. */
function cut(
  pieces: readonly Piece[],
  {
    from = 0,
    placedAt = 0,
    pictures = true,
    borderSeconds,
  }: { from?: number; placedAt?: number; pictures?: boolean; borderSeconds?: number } = {},
): LiveSound[] {
  const sounds: LiveSound[] = [];
  const cutter = new SoundCutter({ zero: 0, from, borderSeconds, onSound: (sound) => sounds.push(sound) });
  for (const { at, samples } of pieces) {
    for (let i = 0; i < samples.length; i += BLOCK) {
      const start = Math.round(at * RATE) + i;
      if (pictures) cutter.see((start / RATE) * 1e6, { runUs: 0, us: placedAt });
      cutter.add([{ start, samples: samples.subarray(i, i + BLOCK) }]);
    }
  }
  cutter.end();
  return sounds;
}

const spans = (sounds: readonly LiveSound[]): [number, number][] =>
  sounds.map(({ interval }) => [interval.startMs / 1000, interval.endMs / 1000]);

describe('the sound of a stream', () => {
  it('is cut at the first pause behind 3 s, in its quietest part', () => {
    const [first] = spans(
      cut([
        {
          at: 0,
          samples: voice(10, [
            [1, 1.6],
            [3.5, 4.2],
          ]),
        },
      ]),
    );
    expect(first![0]).toBe(0);
    expect(first![1]).toBeGreaterThan(3.6);
    expect(first![1]).toBeLessThan(4.1);
  });

  it('is cut at each border, wherever words are, and loses nothing there', () => {
    const sounds = cut([{ at: 0, samples: voice(25) }], { borderSeconds: 10, placedAt: 3_333 });
    const borders = spans(sounds).flatMap(([from]) => (from % 10 === 0 ? [from] : []));
    expect(borders).toEqual([10, 20]);
    for (const [i, [from, to]] of spans(sounds).entries()) {
      expect(Math.floor(from / 10)).toBe(Math.ceil(to / 10) - 1);
      if (i > 0) expect(from).toBe(spans(sounds)[i - 1]![1]);
    }
    // What is cut just before one says nothing, and is left out.
    const late = spans(cut([{ at: 9.95, samples: voice(12) }], { borderSeconds: 10 }));
    expect(late[0]![0]).toBe(10);
  });

  it('is cut after 6 s where nobody pauses, and neighbours share no sample', () => {
    const sounds = spans(cut([{ at: 0, samples: voice(20) }]));
    for (const [i, [from, to]] of sounds.entries()) {
      expect(from).toBe(sounds[i - 1]?.[1] ?? 0);
      expect(to - from).toBeLessThanOrEqual(6);
    }
    expect(sounds.at(-1)![1]).toBeCloseTo(20, 2);
  });

  it('comes with the sound before it and behind it', () => {
    const sounds = cut([{ at: 0, samples: voice(40, [[4, 4.5]]) }]);
    const [first, last] = [sounds[0]!, sounds.at(-1)!];
    expect(first.start).toBe(0);
    expect(first.start + first.samples.length - first.interval.endMs * 16).toBeGreaterThanOrEqual(1.2 * RATE);
    expect(last.start).toBe(last.interval.startMs * 16 - 30 * RATE);
  });

  it('is not invented over a gap: a part ends before it, and nothing of before comes with the next', () => {
    const sounds = cut([
      { at: 0, samples: voice(2) },
      { at: 5, samples: voice(2) },
    ]);
    expect(spans(sounds)).toEqual([
      [0, 2],
      [5, 7],
    ]);
    expect(sounds[1]!.start).toBe(5 * RATE);
  });

  it('goes on over imprecise times, and drops what comes again', () => {
    const [first, again] = [voice(2), voice(1)];
    const rough = cut([
      { at: 0, samples: first },
      { at: 2.05, samples: again },
    ]);
    expect(spans(rough)).toEqual([[0, 3]]);
    const repeated = cut([
      { at: 0, samples: first },
      { at: 1.5, samples: again },
    ]);
    expect(spans(repeated)).toEqual([[0, 2.5]]);
  });

  it('goes on where the stream was, without what was heard before', () => {
    const sounds = cut([{ at: -0.5, samples: voice(3) }], { placedAt: 60_000_000, from: 61_000_000 });
    expect(spans(sounds)).toEqual([[61, 62.5]]);
  });

  it('waits for the pictures that place it, and is left out where none come', () => {
    const sounds: LiveSound[] = [];
    const cutter = new SoundCutter({ zero: 0, from: 0, onSound: (sound) => sounds.push(sound) });
    cutter.add([{ start: -8000, samples: voice(2) }]);
    expect(sounds).toEqual([]);
    cutter.see(0, { runUs: 0, us: 10_000_000 });
    cutter.add([]);
    cutter.end();
    expect(spans(sounds)).toEqual([[9.5, 11.5]]);
    expect(cut([{ at: 0, samples: voice(60) }], { pictures: false })).toEqual([]);
  });

  it('follows a jump of the clock that the pictures make', () => {
    const sounds: LiveSound[] = [];
    const cutter = new SoundCutter({ zero: 0, from: 0, onSound: (sound) => sounds.push(sound) });
    cutter.see(1_000_000, { runUs: 0, us: 0 });
    cutter.add([{ start: 0, samples: voice(2) }]);
    // Sound arrives before its picture: it is held.
    cutter.add([{ start: 100 * RATE, samples: voice(2) }]);
    cutter.see(100_100_000, { runUs: 100_100_000, us: 5_000_000 });
    cutter.add([]);
    cutter.end();
    expect(spans(sounds)).toEqual([
      [0, 2],
      [4.9, 6.9],
    ]);
  });

  it('keeps no more of it than is needed, however long it lasts', () => {
    let longest = 0;
    const cutter = new SoundCutter({
      zero: 0,
      from: 0,
      onSound: ({ samples }) => (longest = Math.max(longest, samples.length)),
    });
    const minute = voice(60);
    for (let at = 0; at < 10; at++) {
      cutter.see((at + 1) * 60_000_000, { runUs: 0, us: 0 });
      for (let i = 0; i < minute.length; i += RATE)
        cutter.add([{ start: at * 60 * RATE + i, samples: minute.subarray(i, i + RATE) }]);
    }
    expect(longest).toBeLessThan(39 * RATE);
    expect(cutter.heldSeconds).toBeLessThan(40);
  });
});
