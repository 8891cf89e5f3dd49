import { float64At } from '@adit/contracts';

export interface Complex {
  re: Float64Array;
  im: Float64Array;
}

/** Samples of a frame: 4 · 4 · 5 · 5. */
export const SIZE = 400;
const QUARTER = SIZE / 4;
const FIFTH = SIZE / 5;

export const COS = Float64Array.from({ length: SIZE }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE }, (_, i) => -Math.sin((2 * Math.PI * i) / SIZE));

export const complex = (): Complex => ({ re: new Float64Array(SIZE), im: new Float64Array(SIZE) });

// Each number has its own statement: destructuring lists would allocate numbers on the heap, and garbage collection
// would cost as much as the transform.

/**
 * Discrete Fourier transform of SIZE numbers in Stockham's order: the two buffers swap at each stage, and the result is
 * one of them.
 */
export function transform(input: Complex, scratch: Complex): Complex {
  byFour(input, scratch, 1);
  byFour(scratch, input, 4);
  byFive(input, scratch, 16);
  byFive(scratch, input, 80);
  return input;
}

/** Joins transforms of `done` numbers each, by four. */
function byFour(from: Complex, to: Complex, done: number): void {
  for (let k = 0; k < done; k++) joinFour(from, to, done, k);
}

/** Joins the numbers at place `k` of such transforms. */
function joinFour(from: Complex, to: Complex, done: number, k: number): void {
  const turn = (k * QUARTER) / done;
  const c1 = float64At(COS, turn);
  const s1 = float64At(SIN, turn);
  const c2 = float64At(COS, 2 * turn);
  const s2 = float64At(SIN, 2 * turn);
  const c3 = float64At(COS, 3 * turn);
  const s3 = float64At(SIN, 3 * turn);
  for (let at = k; at < QUARTER; at += done) {
    const re0 = float64At(from.re, at);
    const im0 = float64At(from.im, at);
    const x1 = float64At(from.re, at + QUARTER);
    const y1 = float64At(from.im, at + QUARTER);
    const x2 = float64At(from.re, at + 2 * QUARTER);
    const y2 = float64At(from.im, at + 2 * QUARTER);
    const x3 = float64At(from.re, at + 3 * QUARTER);
    const y3 = float64At(from.im, at + 3 * QUARTER);
    const re1 = x1 * c1 - y1 * s1;
    const im1 = x1 * s1 + y1 * c1;
    const re2 = x2 * c2 - y2 * s2;
    const im2 = x2 * s2 + y2 * c2;
    const re3 = x3 * c3 - y3 * s3;
    const im3 = x3 * s3 + y3 * c3;
    const out = (at - k) * 4 + k;
    to.re[out] = re0 + re2 + (re1 + re3);
    to.im[out] = im0 + im2 + (im1 + im3);
    to.re[out + done] = re0 - re2 + (im1 - im3);
    to.im[out + done] = im0 - im2 - (re1 - re3);
    to.re[out + 2 * done] = re0 + re2 - (re1 + re3);
    to.im[out + 2 * done] = im0 + im2 - (im1 + im3);
    to.re[out + 3 * done] = re0 - re2 - (im1 - im3);
    to.im[out + 3 * done] = im0 - im2 + (re1 - re3);
  }
}

const [C1, C2] = [float64At(COS, SIZE / 5), float64At(COS, (2 * SIZE) / 5)];
const [S1, S2] = [float64At(SIN, SIZE / 5), float64At(SIN, (2 * SIZE) / 5)];

/** Joins transforms of `done` numbers each, by five. */
function byFive(from: Complex, to: Complex, done: number): void {
  for (let k = 0; k < done; k++) joinFive(from, to, done, k);
}

/** Joins the numbers at place `k` of such transforms. */
function joinFive(from: Complex, to: Complex, done: number, k: number): void {
  const turn = (k * FIFTH) / done;
  const c1 = float64At(COS, turn);
  const s1 = float64At(SIN, turn);
  const c2 = float64At(COS, 2 * turn);
  const s2 = float64At(SIN, 2 * turn);
  const c3 = float64At(COS, 3 * turn);
  const s3 = float64At(SIN, 3 * turn);
  const c4 = float64At(COS, 4 * turn);
  const s4 = float64At(SIN, 4 * turn);
  for (let at = k; at < FIFTH; at += done) {
    const re0 = float64At(from.re, at);
    const im0 = float64At(from.im, at);
    const x1 = float64At(from.re, at + FIFTH);
    const y1 = float64At(from.im, at + FIFTH);
    const x2 = float64At(from.re, at + 2 * FIFTH);
    const y2 = float64At(from.im, at + 2 * FIFTH);
    const x3 = float64At(from.re, at + 3 * FIFTH);
    const y3 = float64At(from.im, at + 3 * FIFTH);
    const x4 = float64At(from.re, at + 4 * FIFTH);
    const y4 = float64At(from.im, at + 4 * FIFTH);
    const re1 = x1 * c1 - y1 * s1;
    const im1 = x1 * s1 + y1 * c1;
    const re2 = x2 * c2 - y2 * s2;
    const im2 = x2 * s2 + y2 * c2;
    const re3 = x3 * c3 - y3 * s3;
    const im3 = x3 * s3 + y3 * c3;
    const re4 = x4 * c4 - y4 * s4;
    const im4 = x4 * s4 + y4 * c4;
    // Even and odd parts of the outer and the inner two.
    const outerRe = re1 + re4;
    const outerIm = im1 + im4;
    const innerRe = re2 + re3;
    const innerIm = im2 + im3;
    const oddRe = re1 - re4;
    const oddIm = im1 - im4;
    const oddInnerRe = re2 - re3;
    const oddInnerIm = im2 - im3;
    const aRe = re0 + C1 * outerRe + C2 * innerRe;
    const aIm = im0 + C1 * outerIm + C2 * innerIm;
    const bRe = re0 + C2 * outerRe + C1 * innerRe;
    const bIm = im0 + C2 * outerIm + C1 * innerIm;
    const cRe = S1 * oddIm + S2 * oddInnerIm;
    const cIm = S1 * oddRe + S2 * oddInnerRe;
    const dRe = S2 * oddIm - S1 * oddInnerIm;
    const dIm = S2 * oddRe - S1 * oddInnerRe;
    const out = (at - k) * 5 + k;
    to.re[out] = re0 + outerRe + innerRe;
    to.im[out] = im0 + outerIm + innerIm;
    to.re[out + done] = aRe - cRe;
    to.im[out + done] = aIm + cIm;
    to.re[out + 2 * done] = bRe - dRe;
    to.im[out + 2 * done] = bIm + dIm;
    to.re[out + 3 * done] = bRe + dRe;
    to.im[out + 3 * done] = bIm - dIm;
    to.re[out + 4 * done] = aRe + cRe;
    to.im[out + 4 * done] = aIm - cIm;
  }
}
