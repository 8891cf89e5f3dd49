import { elementAt, float32At } from '@adit/contracts';
import { normalOf, type Candidate } from '../writing/candidates.js';
import type { Tokenizer } from './tokenizer.js';

// Looked up once: in a realm of its own (specs, vm contexts) every access to a global costs more than the arithmetic.
const { max } = Math;

/** The first time of a window lies within its first second. */
const FIRST_TIME = 50;

/**
 * OpenAI's rules of what may be written next: no token that is never text; times come in pairs, never go back, the first one
 * soon, and win where all of them together are likelier than any text. Changes the logits.
 */
export function applyRules(logits: Float32Array, written: readonly number[], tokens: Tokenizer): void {
  const { end, times, noTimes, never, neverFirst } = tokens;
  for (const token of never) logits[token] = -Infinity;
  if (written.length === 0) for (const token of neverFirst) logits[token] = -Infinity;
  logits[noTimes] = -Infinity;
  const last = (written.at(-1) ?? -1) >= times;
  const before = written.length < 2 || elementAt(written, -2) >= times;
  if (last) {
    if (before) logits.fill(-Infinity, times);
    else logits.fill(-Infinity, 0, end);
  }
  const latest = written.findLast((token) => token >= times);
  // A closing time may equal the last one only if it opens the next segment.
  if (latest !== undefined) logits.fill(-Infinity, times, last && !before ? latest : latest + 1);
  if (written.length === 0) {
    logits.fill(-Infinity, 0, times);
    logits.fill(-Infinity, times + FIRST_TIME + 1);
  }
  let text = -Infinity;
  for (let i = 0; i < times; i++) text = max(text, float32At(logits, i));
  let peak = -Infinity;
  for (let i = times; i < logits.length; i++) peak = max(peak, float32At(logits, i));
  if (peak === -Infinity) return;
  let sum = 0;
  for (let i = times; i < logits.length; i++) sum += Math.exp(float32At(logits, i) - peak);
  if (peak + Math.log(sum) > text) logits.fill(-Infinity, 0, times);
}

/** A token drawn with `random` from what is likely at a temperature above 0; its probability is that at 1. */
export function drawn(logits: Float32Array, temperature: number, random: () => number): Candidate {
  let top = -Infinity;
  for (const value of logits) if (value > top) top = value;
  let hot = 0;
  for (const value of logits) hot += Math.exp((value - top) / temperature);
  let left = random() * hot;
  let token = 0;
  for (let i = 0; i < logits.length; i++) {
    const share = Math.exp((float32At(logits, i) - top) / temperature);
    if (share === 0) continue;
    token = i;
    left -= share;
    if (left <= 0) break;
  }
  return { token, logProbability: float32At(logits, token) - normalOf(logits, top) };
}

/** Numbers 0..1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
