import { describe, expect, it } from '@jest/globals';
import { filmFacts, randomOf } from '@adit/testing';
import { planAudioGrid, planAudioRange, PLANNING_RATE } from './audio-plan.js';
import { FilmLimits } from './film-limits.js';

/** Noise of so many seconds, silent within the pauses. */
function noise(seconds: number, pauses: [from: number, to: number][] = []): Float32Array {
  const random = randomOf(7);
  const isSilent = (time: number) => pauses.some(([from, to]) => time >= from && time < to);
  return Float32Array.from({ length: Math.round(seconds * PLANNING_RATE) }, (_, at) =>
    isSilent(at / PLANNING_RATE) ? 0 : random() - 0.5,
  );
}

async function* inPieces(samples: Float32Array, size: number): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += size) yield samples.subarray(at, at + size);
}

const grid = (samples: Float32Array, size = 65_536) => planAudioGrid(inPieces(samples, size));

describe('the plan of sound', () => {
  it('cuts in the pauses between 20 and 30 s, wherever the pieces end', async () => {
    const sound = noise(70, [
      [12, 13],
      [24.5, 25.1],
      [47, 47.4],
    ]);
    const cuts = await grid(sound);
    expect(cuts.map(({ startMs }) => startMs)).toEqual([0, cuts[0]!.endMs, cuts[1]!.endMs]);
    expect(cuts[0]!.endMs).toBeGreaterThan(24_500);
    expect(cuts[0]!.endMs).toBeLessThan(25_100);
    expect(cuts[1]!.endMs).toBeGreaterThan(47_000);
    expect(cuts[1]!.endMs).toBeLessThan(47_400);
    expect(cuts[2]!.endMs).toBe(70_000);
    for (const size of [1, 159, 50_021]) expect(await grid(sound, size)).toEqual(cuts);
  });

  it('cuts sound without pauses where it is quietest, silence and what is no number at 30 s', async () => {
    const loud = noise(61);
    for (let at = 22 * PLANNING_RATE; at < 22.5 * PLANNING_RATE; at++) loud[at]! /= 2;
    const [first, second] = await grid(loud);
    expect(first!.endMs).toBeGreaterThan(22_000);
    expect(first!.endMs).toBeLessThan(22_500);
    expect(second!.endMs - second!.startMs).toBeGreaterThanOrEqual(20_000);
    expect(second!.endMs - second!.startMs).toBeLessThanOrEqual(30_000);
    for (const sample of [0, NaN]) {
      expect(await grid(new Float32Array(70 * PLANNING_RATE).fill(sample))).toEqual([
        { startMs: 0, endMs: 30_000 },
        { startMs: 30_000, endMs: 60_000 },
        { startMs: 60_000, endMs: 70_000 },
      ]);
    }
  });

  it('leaves 30 s whole, counts a begun millisecond, and has nothing for nothing', async () => {
    expect(await grid(noise(30))).toEqual([{ startMs: 0, endMs: 30_000 }]);
    expect(await grid(new Float32Array(17))).toEqual([{ startMs: 0, endMs: 2 }]);
    expect(await grid(new Float32Array(0))).toEqual([]);
    const limits = FilmLimits.parse({ maxFilmChunks: 2 });
    await expect(planAudioGrid(inPieces(noise(90), 65_536), limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('takes the chunks inside a range as they are and cuts those at its ends', () => {
    const chunks = [
      { startMs: 0, endMs: 25_000 },
      { startMs: 25_000, endMs: 50_000 },
      { startMs: 50_000, endMs: 61_500 },
    ];
    expect(planAudioRange(chunks, null, { time_start: 24.5, time_end: 55 })).toEqual([
      { startMs: 24_500, endMs: 25_000 },
      { startMs: 25_000, endMs: 50_000 },
      { startMs: 50_000, endMs: 55_000 },
    ]);
    expect(planAudioRange(chunks, null, { time_start: 60 })).toEqual([{ startMs: 60_000, endMs: 61_500 }]);
    expect(() => planAudioRange(chunks, null, { time_start: 61.5 })).toThrow('lasts 61.5 s');
    expect(() => planAudioRange(chunks, null, { frame_start: 3 })).toThrow('frames');
    expect(filmFacts().kind).toBe('video');
  });
});
