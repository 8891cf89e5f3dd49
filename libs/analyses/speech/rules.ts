import { elementAt, float32At } from '@adit/contracts';
import { largest, logSumExp, type Candidate, type RatedToken } from '../writing/candidates.js';
import type { Tokenizer } from './tokenizer.js';

// Looked up once: in separate realms (specs, vm contexts) every access to a global costs more than the arithmetic.
const { max } = Math;

/** The first time of a window lies within its first second. */
const FIRST_TIME = 50;

/** Permitted kinds of the next token, besides tokens that are never text. */
interface Permitted {
  text: boolean;
  /** The token that ends a text, and the others that are no time. */
  end: boolean;
  /** Times from this token on, up to the other. */
  times: { from: number; to: number };
}

/**
 * Returns OpenAI's rules for the next token: times come in pairs, never go back, and the first one comes first and
 * early. The rule that times win where all of them together are likelier than any text is applied elsewhere.
 */
function permitted(written: readonly number[], { times, size }: Rules): Permitted {
  if (written.length === 0) return { text: false, end: false, times: { from: times, to: times + FIRST_TIME + 1 } };
  const last = (written.at(-1) ?? -1) >= times;
  const before = written.length < 2 || elementAt(written, -2) >= times;
  const latest = written.findLast((token) => token >= times);
  // A closing time may equal the last one only if it opens the next segment.
  const from = latest === undefined ? times : last && !before ? latest : latest + 1;
  return { text: !last || before, end: true, times: { from: last && before ? size : from, to: size } };
}

/** Token numbers of a Whisper model that the rules use. */
export type Rules = Pick<Tokenizer, 'end' | 'times' | 'noTimes' | 'never' | 'size'>;

/** Applies the rules to the logits of all tokens: -Infinity for forbidden ones. */
export function applyRules(logits: Float32Array, written: readonly number[], tokens: Rules): void {
  const { end, times, noTimes, never } = tokens;
  const may = permitted(written, tokens);
  for (const token of never) logits[token] = -Infinity;
  logits[noTimes] = -Infinity;
  if (!may.text) logits.fill(-Infinity, 0, end);
  if (!may.end) logits.fill(-Infinity, end, times);
  logits.fill(-Infinity, times, may.times.from);
  logits.fill(-Infinity, may.times.to);
  if (logSumExp(logits, times) > largestOf(logits, 0, times)) logits.fill(-Infinity, 0, times);
}

function largestOf(logits: Float32Array, from: number, to: number): number {
  let top = -Infinity;
  for (let i = from; i < to; i++) top = max(top, float32At(logits, i));
  return top;
}

/** Summary of the logits that is enough to choose the likeliest permitted tokens. */
export interface Following {
  /** Permitted text tokens, the likeliest first. */
  text: readonly RatedToken[];
  /** Log-sum-exp of the logits of all permitted text tokens. */
  textSum: number;
  /** Logits of the other tokens, from the end token on. */
  others: Float32Array;
}

/** Summarises all logits, for a decoder that does not; `count` text tokens. */
export function followingOf(logits: Float32Array, count: number, { end, never }: Rules): Following {
  const text = logits.slice(0, end);
  for (const token of never) if (token < end) text[token] = -Infinity;
  return { text: largest(text, count), textSum: logSumExp(text), others: logits.subarray(end) };
}

/** Returns the `count` likeliest tokens that the rules permit after `written`, the likeliest first. */
export function likeliest(following: Following, written: readonly number[], count: number, tokens: Rules): Candidate[] {
  const { end, times, noTimes, never } = tokens;
  const may = permitted(written, tokens);
  const others = following.others.slice();
  for (const token of never) if (token >= end) others[token - end] = -Infinity;
  others[noTimes - end] = -Infinity;
  if (!may.end) others.fill(-Infinity, 0, times - end);
  others.fill(-Infinity, times - end, may.times.from - end);
  others.fill(-Infinity, may.times.to - end);
  const text = may.text ? following.text : [];
  const top = max(text[0]?.logit ?? -Infinity, largestOf(others, 0, times - end));
  const timesWin = logSumExp(others, times - end) > top;
  if (timesWin) others.fill(-Infinity, 0, times - end);
  const best = [...(timesWin ? [] : text), ...largest(others, count, end)]
    .sort((a, b) => b.logit - a.logit)
    .slice(0, count);
  const sums = Float32Array.of(logSumExp(others), may.text && !timesWin ? following.textSum : -Infinity);
  const normal = logSumExp(sums);
  return best.map(({ token, logit }) => ({ token, logProbability: logit - normal }));
}

/** Samples a token with `random` at a temperature above 0; its probability is that at 1. */
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
  return { token, logProbability: float32At(logits, token) - logSumExp(logits) };
}

/** Returns numbers 0..1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
