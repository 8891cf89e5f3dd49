import { describe, expect, it } from '@jest/globals';
import { filmFacts, randomOf } from '@adit/testing';
import { openAudioPackBuffer, packAudio } from './audio-pack.js';
import { audioGridAround, GRID_MARGIN_SECONDS, planAudioGrid, planAudioRange, PLANNING_RATE } from './audio-plan.js';
import { FilmLimits } from '../film-limits.js';

/** Noise of the given length in seconds, silent within the pauses. */
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

describe('the audio chunk plan', () => {
  it('cuts in the pauses near each 24 s, wherever the pieces end', async () => {
    const sound = noise(70, [
      [12, 13],
      [24.5, 25.1],
      [46.6, 47],
      [51, 56],
    ]);
    const cuts = await grid(sound);
    expect(cuts.map(({ startMs }) => startMs)).toEqual([0, cuts[0]!.endMs, cuts[1]!.endMs]);
    expect(cuts[0]!.endMs).toBeGreaterThan(24_500);
    expect(cuts[0]!.endMs).toBeLessThan(25_100);
    expect(cuts[1]!.endMs).toBeGreaterThan(46_600);
    expect(cuts[1]!.endMs).toBeLessThan(47_000);
    expect(cuts[2]!.endMs).toBe(70_000);
    // Shorter than a step, just short of one, and long.
    for (const size of [37, 159, 50_021]) expect(await grid(sound, size)).toEqual(cuts);
  });

  it('cuts sound without pauses where it is quietest, and silence or NaN samples at the last candidate', async () => {
    const loud = noise(61);
    for (let at = 23 * PLANNING_RATE; at < 23.5 * PLANNING_RATE; at++) loud[at]! /= 2;
    const [first, second] = await grid(loud);
    expect(first!.endMs).toBeGreaterThan(23_000);
    expect(first!.endMs).toBeLessThan(23_500);
    expect(second!.endMs - second!.startMs).toBeGreaterThanOrEqual(20_000);
    expect(second!.endMs - second!.startMs).toBeLessThanOrEqual(28_000);
    for (const sample of [0, NaN]) {
      expect(await grid(new Float32Array(70 * PLANNING_RATE).fill(sample))).toEqual([
        { startMs: 0, endMs: 26_000 },
        { startMs: 26_000, endMs: 50_000 },
        { startMs: 50_000, endMs: 70_000 },
      ]);
    }
  });

  it('has no chunk above 28 s, counts a started millisecond, and is empty for empty input', async () => {
    expect(await grid(noise(26))).toEqual([{ startMs: 0, endMs: 26_000 }]);
    const sound = noise(53);
    for (const seconds of [49.5, 50, 50.001, 50.1, 52.9]) {
      const chunks = await grid(sound.subarray(0, seconds * PLANNING_RATE));
      expect(chunks.at(-1)!.endMs).toBe(seconds * 1000);
      for (const { startMs, endMs } of chunks) expect(endMs - startMs).toBeLessThanOrEqual(28_000);
    }
    expect(await grid(new Float32Array(17))).toEqual([{ startMs: 0, endMs: 2 }]);
    expect(await grid(new Float32Array(0))).toEqual([]);
    const limits = FilmLimits.parse({ maxFilmChunks: 2 });
    await expect(planAudioGrid(inPieces(noise(90), 65_536), { limits })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('finds the same chunks around any part of the sound', async () => {
    const sound = noise(110, [
      [46, 47],
      [73, 73.4],
    ]);
    const chunks = await grid(sound);
    expect(chunks.length).toBe(5);
    // From the start, in the middle of chunks, at their ends, longer than they are, and to the end.
    for (const [fromMs, toMs] of [
      [0, 1],
      [22_000, 22_010],
      [30_123, 61_000],
      [chunks[2]!.startMs, chunks[2]!.endMs],
      [99_000, 110_000],
    ] as const) {
      const [ownStart, ownEnd] = [(fromMs * PLANNING_RATE) / 1000, (toMs * PLANNING_RATE) / 1000];
      const margin = GRID_MARGIN_SECONDS * PLANNING_RATE;
      const [start, end] = [Math.max(0, ownStart - margin), Math.min(sound.length, ownEnd + margin)];
      const place = { sampleRate: PLANNING_RATE, channels: 1, start, end, ownStart, ownEnd };
      const pack = await openAudioPackBuffer(packAudio(place, Buffer.from(sound.slice(start, end).buffer)));
      expect(await audioGridAround(pack)).toEqual(
        chunks.filter(({ startMs, endMs }) => endMs > fromMs && startMs < toMs),
      );
    }
  });

  it('reaches to the end of the longest track', async () => {
    const chunks = await planAudioGrid(inPieces(noise(30), 65_536), { leastSeconds: 40.5 });
    expect(chunks.at(-1)!.endMs).toBe(40_500);
    expect(await planAudioGrid(inPieces(noise(30), 65_536), { leastSeconds: 20 })).toEqual(await grid(noise(30)));
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
