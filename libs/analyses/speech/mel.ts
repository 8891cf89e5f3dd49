import { setImmediate } from 'node:timers/promises';
import { float32At, float64At } from '@adit/contracts';
import { complex, COS, SIZE, transform } from './fourier.js';

// Whisper's front end: Hann window of 400 samples (periodic) every 160, centred with reflection, power, Slaney mel
// bands, log10, clamped to 8 below the maximum, (x + 4) / 4.
const RATE = 16_000;
const HOP = 160;
const BINS = SIZE / 2 + 1;
export const BANDS = 80;
/** Frames per time slice: some 10 ms. */
const FRAMES_PER_SLICE = 256;

/** Length of Whisper's input. */
export const WINDOW_SECONDS = 30;
export const WINDOW_SAMPLES = WINDOW_SECONDS * RATE;

interface Band {
  first: number;
  weights: Float64Array;
}

/** Triangular filters of equal area on the Slaney scale. */
function melBands(): Band[] {
  const toHz = (mel: number): number =>
    mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp((Math.log(6.4) / 27) * (mel - 15));
  const top = 45.245640471924965; // 8000 Hz
  const edge = (i: number): number => toHz((top * i) / (BANDS + 1));
  return Array.from({ length: BANDS }, (_, band) => {
    const [low, mid, high] = [edge(band), edge(band + 1), edge(band + 2)];
    const weights: number[] = [];
    let first = -1;
    for (let bin = 0; bin < BINS; bin++) {
      const hz = (bin * RATE) / SIZE;
      const weight = Math.max(0, Math.min((hz - low) / (mid - low), (high - hz) / (high - mid)));
      if (weight <= 0) continue;
      if (first < 0) first = bin;
      weights[bin - first] = Math.fround((weight * 2) / (high - low));
    }
    return { first: Math.max(first, 0), weights: Float64Array.from(weights) };
  });
}

const BANK = melBands();
const HANN = Float64Array.from({ length: SIZE }, (_, i) => Math.fround(0.5 - 0.5 * float64At(COS, i)));

/**
 * Computes the log-mel spectrogram of at most that many seconds at 16 kHz, 80 bands × 100 frames per second, padded
 * with silence. Yields to the event loop in between.
 */
export async function logMel(samples: Float32Array, seconds = WINDOW_SECONDS): Promise<Float32Array> {
  const length = seconds * RATE;
  const frames = length / HOP;
  const end = Math.min(samples.length, length);
  const sound = reflected(samples.subarray(0, end), length);
  const out = new Float32Array(BANDS * frames).fill(-10);
  const used = Math.min(frames, Math.ceil((end + SIZE / 2) / HOP));
  let loudest = used < frames ? -10 : -Infinity;
  const [input, scratch] = [complex(), complex()];
  const [even, odd] = [new Float64Array(BINS), new Float64Array(BINS)];
  const powers = [even, odd];
  for (let frame = 0; frame < used; frame += 2) {
    if (frame % FRAMES_PER_SLICE === 0) await setImmediate();
    // Transforms two frames at once: one as the real, one as the imaginary part.
    for (let i = 0; i < SIZE; i++) {
      input.re[i] = float64At(HANN, i) * float32At(sound, frame * HOP + i);
      input.im[i] = float64At(HANN, i) * float32At(sound, frame * HOP + HOP + i);
    }
    const { re, im } = transform(input, scratch);
    for (let bin = 0; bin < BINS; bin++) {
      const mirror = (SIZE - bin) % SIZE;
      const x = float64At(re, bin);
      const y = float64At(im, bin);
      const xMirror = float64At(re, mirror);
      const yMirror = float64At(im, mirror);
      const aRe = (x + xMirror) / 2;
      const aIm = (y - yMirror) / 2;
      const bRe = (y + yMirror) / 2;
      const bIm = (xMirror - x) / 2;
      even[bin] = aRe * aRe + aIm * aIm;
      odd[bin] = bRe * bRe + bIm * bIm;
    }
    for (const [half, power] of powers.entries()) {
      if (frame + half >= used) break;
      for (const [band, { first, weights }] of BANK.entries()) {
        let sum = 0;
        for (let i = 0; i < weights.length; i++) sum += float64At(weights, i) * float64At(power, first + i);
        const log = Math.log10(Math.max(sum, 1e-10));
        out[band * frames + frame + half] = log;
        if (log > loudest) loudest = log;
      }
    }
  }
  for (let i = 0; i < out.length; i++) out[i] = (Math.max(float32At(out, i), loudest - 8) + 4) / 4;
  return out;
}

/** Pads the sound with silence to `length` samples, and with half a reflected frame around them. */
function reflected(sound: Float32Array, length: number): Float32Array {
  const half = SIZE / 2;
  const whole = new Float32Array(length + SIZE + HOP);
  whole.set(sound, half);
  const last = half + length - 1;
  for (let i = 1; i <= half; i++) {
    whole[half - i] = float32At(whole, half + i);
    whole[last + i] = float32At(whole, last - i);
  }
  return whole;
}
