import { setImmediate } from 'node:timers/promises';
import { float32At, float64At } from '@adit/contracts';

// Whisper's front end: Hann of 400 samples (periodic) every 160, centred with reflection, power, Slaney mel bands, log10, clamped
// to 8 below the loudest, (x + 4) / 4.
const RATE = 16_000;
const SIZE = 400;
const HOP = 160;
const BINS = SIZE / 2 + 1;
const BANDS = 80;
const RADICES = [4, 4, 5, 5];
/** Frames between which others get their turn: some 10 ms. */
const FRAMES_A_TURN = 256;

/** Frames of the 30 s that Whisper hears at once. */
export const WINDOW_FRAMES = 3000;
export const WINDOW_SAMPLES = WINDOW_FRAMES * HOP;

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
const COS = Float64Array.from({ length: SIZE }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE }, (_, i) => -Math.sin((2 * Math.PI * i) / SIZE));
const HANN = Float64Array.from({ length: SIZE }, (_, i) => Math.fround(0.5 - 0.5 * float64At(COS, i)));

interface Complex {
  re: Float64Array;
  im: Float64Array;
}
const complex = (): Complex => ({ re: new Float64Array(SIZE), im: new Float64Array(SIZE) });

/** Mixed radices, decimation in time, in Stockham's order: the two buffers change places at each stage. */
function transform(input: Complex, scratch: Complex): Complex {
  let [from, to] = [input, scratch];
  let done = 1;
  for (const radix of RADICES) {
    const groups = SIZE / (done * radix);
    const turn = SIZE / radix;
    for (let k = 0; k < done; k++) {
      for (let g = 0; g < groups; g++) {
        for (let q = 0; q < radix; q++) {
          let re = 0;
          let im = 0;
          for (let p = 0; p < radix; p++) {
            const at = (g + p * groups) * done + k;
            const angle = (p * k * groups + p * q * turn) % SIZE;
            const x = float64At(from.re, at);
            const y = float64At(from.im, at);
            const cos = float64At(COS, angle);
            const sin = float64At(SIN, angle);
            re += x * cos - y * sin;
            im += x * sin + y * cos;
          }
          const at = g * done * radix + q * done + k;
          to.re[at] = re;
          to.im[at] = im;
        }
      }
    }
    [from, to] = [to, from];
    done *= radix;
  }
  return from;
}

/**
 * The log-mel spectrogram of at most 30 s at 16 kHz, 80×3000 floats; what is missing is silence. Others get their turn
 * meanwhile.
 */
export async function logMel(samples: Float32Array): Promise<Float32Array> {
  const end = Math.min(samples.length, WINDOW_SAMPLES);
  const at = (i: number): number => {
    const j = i < 0 ? -i : i >= WINDOW_SAMPLES ? 2 * (WINDOW_SAMPLES - 1) - i : i;
    return j < end ? float32At(samples, j) : 0;
  };
  const out = new Float32Array(BANDS * WINDOW_FRAMES).fill(-10);
  const used = Math.min(WINDOW_FRAMES, Math.ceil((end + SIZE / 2) / HOP));
  let loudest = used < WINDOW_FRAMES ? -10 : -Infinity;
  const [input, scratch] = [complex(), complex()];
  const [even, odd] = [new Float64Array(BINS), new Float64Array(BINS)];
  const powers = [even, odd];
  for (let frame = 0; frame < used; frame += 2) {
    if (frame % FRAMES_A_TURN === 0) await setImmediate();
    // Two frames at once: one as the real, one as the imaginary part.
    for (let i = 0; i < SIZE; i++) {
      const sample = frame * HOP + i - SIZE / 2;
      input.re[i] = float64At(HANN, i) * at(sample);
      input.im[i] = float64At(HANN, i) * at(sample + HOP);
    }
    const { re, im } = transform(input, scratch);
    for (let bin = 0; bin < BINS; bin++) {
      const mirror = (SIZE - bin) % SIZE;
      const [x, y] = [float64At(re, bin), float64At(im, bin)];
      const [xMirror, yMirror] = [float64At(re, mirror), float64At(im, mirror)];
      const [aRe, aIm] = [(x + xMirror) / 2, (y - yMirror) / 2];
      const [bRe, bIm] = [(y + yMirror) / 2, (xMirror - x) / 2];
      even[bin] = aRe * aRe + aIm * aIm;
      odd[bin] = bRe * bRe + bIm * bIm;
    }
    for (const [half, power] of powers.entries()) {
      if (frame + half >= used) break;
      for (const [band, { first, weights }] of BANK.entries()) {
        let sum = 0;
        for (let i = 0; i < weights.length; i++) sum += float64At(weights, i) * float64At(power, first + i);
        const log = Math.log10(Math.max(sum, 1e-10));
        out[band * WINDOW_FRAMES + frame + half] = log;
        if (log > loudest) loudest = log;
      }
    }
  }
  for (let i = 0; i < out.length; i++) out[i] = (Math.max(float32At(out, i), loudest - 8) + 4) / 4;
  return out;
}
