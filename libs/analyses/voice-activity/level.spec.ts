import { describe, expect, it } from '@jest/globals';
import { openAudioPackBuffer, packAudio } from '@adit/media';
import { gainOf, levelled } from './level.js';

const RATE = 16_000;
/** A tone of that root mean square and duration. */
const tone = (level: number, seconds = 2): Float32Array =>
  Float32Array.from(
    { length: seconds * RATE },
    (_, i) => level * Math.SQRT2 * Math.sin((2 * Math.PI * 440 * i) / RATE),
  );
const packOf = (sound: Float32Array, start = 0) => {
  const end = start + sound.length;
  const place = { sampleRate: RATE, channels: 1, start, end, ownStart: start, ownEnd: end };
  return openAudioPackBuffer(packAudio(place, Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength)));
};

describe('the level of sound', () => {
  it('leaves loud sound and silence unchanged', () => {
    for (const level of [0.5, 0.05, 0.0001, 0]) expect(gainOf(tone(level))).toBe(1);
    expect(gainOf(new Float32Array(0))).toBe(1);
    expect(gainOf(new Float32Array(RATE).fill(NaN))).toBe(1);
  });

  it('raises quiet sound to the level of speech, by the loudest half second', () => {
    for (const level of [0.01, 0.001, 0.0005]) expect(level * gainOf(tone(level))).toBeCloseTo(10 ** (-22 / 20), 3);
    const click = tone(0.001);
    click.fill(0.9, 1000, 1400);
    expect(gainOf(click)).toBeCloseTo(gainOf(tone(0.001)), 3);
    const sentence = new Float32Array(24 * RATE);
    sentence.set(tone(0.001, 1), 12 * RATE);
    expect(gainOf(sentence)).toBeCloseTo(gainOf(tone(0.001)), 3);
  });

  it('is the same wherever the pack begins, and never beyond full scale', async () => {
    const sound = tone(0.001, 4);
    sound[RATE] = 0.5;
    const part = { from: RATE / 2, to: 2 * RATE };
    const whole = await levelled(await packOf(sound), part);
    const cut = await levelled(await packOf(sound.slice(RATE / 4, 3 * RATE), RATE / 4), part);
    const [one, other] = [await whole.samples(part.from, part.to), await cut.samples(part.from, part.to)];
    expect(other).toEqual(one);
    expect(Math.max(...one)).toBe(1);
    expect(whole).toMatchObject({ start: 0, end: sound.length, ownEnd: sound.length });
  });
});
