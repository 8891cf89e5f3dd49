import { openAudioPackBuffer, type LiveSound } from '@adit/media';
import { describe, expect, it } from '@jest/globals';
import { soundPack, spooledSound } from './sound-chunks.js';

const RATE = 16_000;
/** 4 s from the tenth on, with 2 s before them and one behind; each sample is its position in seconds. */
const PART: LiveSound = {
  interval: { startMs: 10_000, endMs: 14_000 },
  start: 8 * RATE,
  samples: Float32Array.from({ length: 7 * RATE }, (_, i) => 8 + i / RATE),
  arrived: 0,
};

describe('the pack of a part of a live stream', () => {
  it('is a window of its own with the sound around it, and silence where there was none', async () => {
    const pack = await openAudioPackBuffer(soundPack(PART, 5));
    expect(pack).toMatchObject({ start: 5 * RATE, ownStart: 10 * RATE, ownEnd: 14 * RATE, end: 15 * RATE });
    expect(pack.window).toBe(true);
    const samples = await pack.samples(pack.start, pack.end);
    const at = (seconds: number): number => samples[(seconds - 5) * RATE]!;
    expect([5, 7, 8, 10, 14.5].map(at)).toEqual([0, 0, 8, 10, 14.5]);
  });

  it('begins no earlier than the stream, and with no more than is asked for', async () => {
    expect(await openAudioPackBuffer(soundPack(PART, 30))).toMatchObject({ start: 0 });
    const short = await openAudioPackBuffer(soundPack(PART, 1));
    expect([short.start, (await short.samples(9 * RATE, 9 * RATE + 1))[0]]).toEqual([9 * RATE, 9]);
  });
});

describe('the range of a live stream', () => {
  it('cuts the parts of its sound that reach over its ends, and leaves out the others', () => {
    const rest = { zeroAt: new Date(), reason: null };
    const within = (startUs: number, endUs: number): unknown =>
      spooledSound(PART, { startUs, endUs }, rest)?.sound.interval;
    expect(within(0, Infinity)).toEqual(PART.interval);
    expect(within(11_000_000, 13_000_000)).toEqual({ startMs: 11_000, endMs: 13_000 });
    expect(within(14_000_000, Infinity)).toBeUndefined();
    expect(within(0, 10_000_000)).toBeUndefined();
  });
});
