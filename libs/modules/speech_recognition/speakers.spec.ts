import { encodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { HOP_SECONDS, WINDOW_SECONDS } from '@adit/analyses/voices/observations';
import { randomOf } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import { MAX_SPEAKERS, Speakers, type VoiceWindow } from './speakers.js';

const DIMENSIONS = 256;
const random = randomOf(7);
const direction = (): number[] => Array.from({ length: DIMENSIONS }, () => random());
const scaled = (vector: readonly number[]): number[] => vector.map((value) => value / Math.hypot(...vector));

/** A synthetic voice: people have something in common, as for the network (cosine about 0.5). */
const COMMON = scaled(direction().map((value) => value - 0.5));
const person = (): number[] => {
  const own = scaled(direction().map((value) => value - 0.5));
  return scaled(COMMON.map((value, i) => value + own[i]!));
};

/** Windows over a recording of speaker turns: a window across a change sounds like both, with some noise. */
function windowsOf(turns: readonly { voice: number[]; seconds: number }[], noise = 0.35): VoiceWindow[] {
  const ends = turns.map((_, i) => turns.slice(0, i + 1).reduce((sum, { seconds }) => sum + seconds, 0));
  const windows: VoiceWindow[] = [];
  for (let index = 0; index * HOP_SECONDS + WINDOW_SECONDS <= ends.at(-1)!; index += 1) {
    const [from, to] = [index * HOP_SECONDS, index * HOP_SECONDS + WINDOW_SECONDS];
    const disturbed = scaled(direction().map((value) => value - 0.5));
    const heard = disturbed.map((value) => value * noise);
    for (const [i, { voice, seconds }] of turns.entries()) {
      const share = Math.max(0, Math.min(to, ends[i]!) - Math.max(from, ends[i]! - seconds)) / WINDOW_SECONDS;
      for (const [j, value] of voice.entries()) heard[j]! += share * value;
    }
    windows.push({ index, voice: encodeDirection(heard) });
  }
  return windows;
}

/** Returns the speaker at each second, once all is known. */
function speakersAt(windows: readonly VoiceWindow[], seconds: readonly number[]): (number | null)[] {
  const speakers = new Speakers();
  for (const window of windows) speakers.add(window);
  return seconds.map((start) => speakers.ofPhrase([{ start, end: start + 0.4 }])[0]!);
}

describe('speakers', () => {
  const [ada, grace] = [person(), person()];

  it('are recognised again, and numbered in the order of their words', () => {
    const windows = windowsOf([ada, grace, ada, grace].map((voice) => ({ voice, seconds: 6 })));
    expect(speakersAt(windows, [2, 3, 8, 9, 14, 15, 20, 21])).toEqual([1, 1, 2, 2, 1, 1, 2, 2]);
    // A voice heard first may have no words.
    expect(speakersAt(windows, [8, 14])).toEqual([1, 2]);
  });

  it('are one where one speaks', () => {
    const windows = windowsOf([{ voice: ada, seconds: 60 }]);
    const speakers = new Speakers();
    for (const window of windows) speakers.add(window);
    expect(speakers.state.known).toHaveLength(1);
  });

  it('do not multiply through windows across changes', () => {
    const windows = windowsOf(Array.from({ length: 12 }, (_, i) => ({ voice: i % 2 ? grace : ada, seconds: 4.3 })));
    const speakers = new Speakers();
    for (const window of windows) speakers.add(window);
    expect(speakers.state.known).toHaveLength(2);
  });

  it('change within a phrase where it sounds like two', () => {
    const speakers = new Speakers();
    for (const window of windowsOf([ada, grace].map((voice) => ({ voice, seconds: 6 })))) speakers.add(window);
    const words = Array.from({ length: 16 }, (_, i) => ({ start: 4 + i * 0.25, end: 4.25 + i * 0.25 }));
    const said = speakers.ofPhrase(words);
    const change = words.findIndex((_, i) => said[i] === 2);
    expect(Math.abs(words[change]!.start - 6)).toBeLessThan(0.5);
    expect(said.slice(0, change).every((number) => number === 1)).toBe(true);
    expect(said.slice(change).every((number) => number === 2)).toBe(true);
  });

  it('are unknown where no voice is near a word', () => {
    expect(speakersAt(windowsOf([{ voice: ada, seconds: 8 }]), [30])).toEqual([null]);
    expect(new Speakers().ofPhrase([{ start: 0, end: 1 }])).toEqual([null]);
  });

  it('are one where hardly any voice was heard', () => {
    expect(speakersAt(windowsOf([{ voice: ada, seconds: 2 }]), [0.5, 1])).toEqual([1, 1]);
  });

  it('are limited in number, with a small state', () => {
    const people = Array.from({ length: MAX_SPEAKERS + 8 }, () => ({ voice: person(), seconds: 8 }));
    const speakers = new Speakers();
    for (const window of windowsOf(people)) {
      speakers.add(window);
      speakers.forget(window.index * HOP_SECONDS - 5);
    }
    expect(speakers.state.known).toHaveLength(MAX_SPEAKERS);
    expect(JSON.stringify(speakers.state).length).toBeLessThan(80_000);
  });

  it('are the same when their state is stored after every window', () => {
    const windows = windowsOf([ada, grace, person(), ada].map((voice) => ({ voice, seconds: 5 })));
    const whole = new Speakers();
    let parted = new Speakers();
    for (const window of windows) {
      whole.add(window);
      parted.add(window);
      const state = JSON.stringify(parted.state);
      parted = new Speakers(JSON.parse(state) as Speakers['state']);
    }
    expect(parted.state).toEqual(whole.state);
  });
});
