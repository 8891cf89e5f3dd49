import { float32At } from '@adit/contracts';
import { randomOf } from '@adit/testing';

const RATE = 16_000;
// Accessing a global is slow in jest's contexts, so it is looked up once.
const { cos, exp, floor, PI, round, sin } = Math;

/**
 * Synthetic applause in a hall at 16 kHz in mono: forty people clap three to five times a second, each clap a burst of
 * noise of some milliseconds that resonates in the hands (700 to 2,500 Hz), with reflections of the walls.
 */
export function applause(seconds: number): Float32Array {
  const random = randomOf(1);
  const sound = new Float32Array(round(seconds * RATE));
  for (let person = 0; person < 40; person++) {
    const period = RATE / (3 + 2 * random());
    const hollow = (2 * PI * (700 + 1_800 * random())) / RATE;
    const loudness = 0.01 + 0.04 * random();
    const decay = RATE * (0.002 + 0.004 * random());
    for (let start = random() * period; start < sound.length; start += period * (0.9 + 0.2 * random())) {
      // Noise through a resonance at the hands' pitch.
      let [last, before] = [0, 0];
      for (let i = 0; i < decay * 6; i++) {
        const burst = (2 * random() - 1) * exp(-i / decay);
        [last, before] = [burst + 1.7 * cos(hollow) * last - 0.72 * before, last];
        add(sound, floor(start) + i, loudness * last);
      }
    }
  }
  return inHall(sound, 0.25);
}

/** Four bars of a plucked song over a bass and a drum kit, at 16 kHz in mono, repeated. */
export function music(seconds: number): Float32Array {
  const random = randomOf(2);
  const sound = new Float32Array(round(seconds * RATE));
  const beat = RATE / 2;
  // C, A minor, F, G: the notes of each, in semitones from A of 110 Hz.
  const chords = [
    [3, 7, 10, 15],
    [0, 7, 12, 15],
    [8, 12, 15, 20],
    [10, 14, 17, 22],
  ];
  for (let eighth = 0; eighth * (beat / 2) < sound.length; eighth++) {
    const at = round(eighth * (beat / 2));
    const chord = chords[floor(eighth / 8) % 4] ?? [];
    const note = chord[[0, 2, 1, 3, 2, 1, 3, 1][eighth % 8] ?? 0] ?? 0;
    pluck(sound, at, { hertz: 220 * 2 ** (note / 12), seconds: 1.2, loudness: 0.25 }, random);
    if (eighth % 4 === 0)
      pluck(sound, at, { hertz: 55 * 2 ** ((chord[0] ?? 0) / 12), seconds: 1, loudness: 0.3 }, random);
    if (eighth % 4 === 0)
      for (let i = 0; i < 3_000; i++) add(sound, at + i, 0.4 * exp(-i / 900) * sin(0.05 * i ** 0.9));
    // A snare on every other beat, a cymbal on each eighth.
    const [length, loudness] = eighth % 4 === 2 ? [2_000, 0.2] : [500, 0.05];
    for (let i = 0; i < length * 3; i++) add(sound, at + i, loudness * exp(-i / length) * (2 * random() - 1));
  }
  return inHall(sound, 0.15);
}

/** A plucked string: a burst of noise that loops through a low-pass filter (Karplus and Strong). */
function pluck(
  sound: Float32Array,
  at: number,
  { hertz, seconds, loudness }: { hertz: number; seconds: number; loudness: number },
  random: () => number,
): void {
  const string = Float32Array.from({ length: round(RATE / hertz) }, () => loudness * (2 * random() - 1));
  for (let i = 0; i < seconds * RATE; i++) {
    const place = i % string.length;
    const value = float32At(string, place);
    add(sound, at + i, value);
    string[place] = 0.498 * (value + float32At(string, (place + 1) % string.length));
  }
}

/** Adds the reflections of four walls. */
function inHall(sound: Float32Array, share: number): Float32Array {
  const mixed = sound.slice();
  for (const [wall, delay] of [463, 877, 1_409, 2_113].entries()) {
    for (let i = delay; i < mixed.length; i++) {
      mixed[i] = float32At(mixed, i) + (share / (wall + 1)) * float32At(sound, i - delay);
    }
  }
  return mixed;
}

function add(sound: Float32Array, at: number, value: number): void {
  if (at < sound.length) sound[at] = float32At(sound, at) + value;
}
