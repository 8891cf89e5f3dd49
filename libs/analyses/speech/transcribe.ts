import { elementAt } from '@adit/contracts';
import type { AudioPack } from '@adit/inference';
import type { RecognisedSegment, RecognisedWord } from './observations.js';
import { languageAmong, likeliestOf, SURE, type Spoken } from './language.js';
import { WINDOW_SAMPLES } from './mel.js';
import { TICK, type Tokenizer } from './tokenizer.js';
import { touches, type Span } from './voices.js';
import { EncodedWindow, type Networks, type PlacedWord, type Written } from './whisper.js';

const RATE = 16_000;
/** OpenAI's limits: text that compresses better is a loop, less likely text is a guess. */
const LOOP = 2.4;
const GUESS = -1;
/** Guesses below this log probability after all attempts are discarded. */
const NONSENSE = -1.5;
/** Share of tokens from which two attempts agree: real speech is repeated, a loop is not. */
const SAME = 0.75;
/** Probability of no speech, by the model itself. */
const NOBODY = 0.6;
const TEMPERATURES = { quality: [0, 0.2, 0.4, 0.6, 0.8, 1], performance: [0, 0.4] } as const;
/** Seconds by which a word may lie outside the voice that says it. */
export const SLACK = 0.5;
/** Minimum duration of a word in seconds. */
const MIN_WORD = 0.06;
/** Seconds of voice after the last word from which the rest is transcribed again. */
const MIN_REST = 1.5;

export interface TranscribeOptions {
  /** Languages of the recording; null where each window is detected by itself. */
  spoken: readonly Spoken[] | null;
  mode: keyof typeof TEMPERATURES;
  translate: boolean;
  /** Tokens that are taken to have been said before. */
  prompt: readonly number[];
}

export interface Transcribed {
  language: string;
  languageProbability: number;
  segments: RecognisedSegment[];
  translation: RecognisedSegment[];
}

/**
 * Transcribes a span of at most 30 s of a pack, where `voices` are the spans of speech. Times are seconds from the
 * source's start. Null where nothing is said after all.
 */
export async function transcribe(
  networks: Networks,
  pack: AudioPack,
  { within, voices }: { within: Span; voices: readonly Span[] },
  options: TranscribeOptions,
  signal: AbortSignal,
): Promise<Transcribed | null> {
  const [first] = voices;
  const last = voices.at(-1);
  if (!first || !last) return null;
  let settled: Spoken | null = null;
  const segments: RecognisedSegment[] = [];
  const translation: RecognisedSegment[] = [];
  let from = first.start;
  // Whisper may stop early: the rest is transcribed as a window of its own.
  while (from < last.end) {
    signal.throwIfAborted();
    const window = await EncodedWindow.encode(networks, await samplesOf(pack, from, last.end));
    try {
      settled ??= await languageOf(networks, pack, window, within, options);
      const { language } = settled;
      const written = await writtenBest(window, networks.tokens, { ...options, translate: false, language }, signal);
      if (written !== null) {
        const found = await segmentsOf(window, written, networks.tokens, { language, from, until: last.end, voices });
        segments.push(...found);
        if (options.translate && found.length > 0) {
          const english = await writtenBest(window, networks.tokens, { ...options, language, prompt: [] }, signal);
          if (english !== null) translation.push(...unplaced(english, networks.tokens, { from, until: last.end }));
        }
      }
    } finally {
      await window.close();
    }
    const heardTo = segments.at(-1)?.end ?? from;
    const rest = voices.find(({ end }) => end - Math.max(heardTo, from) > MIN_REST);
    const next = Math.max(heardTo, rest?.start ?? last.end);
    if (rest === undefined || next <= from + MIN_REST) break;
    from = next;
  }
  if (settled === null) return null;
  return { language: settled.language, languageProbability: round(settled.probability), segments, translation };
}

/**
 * Returns the words that begin in a part of a window; the rest belongs to another chunk, which transcribes the same
 * window.
 */
export function partOf(whole: Transcribed, part: Span): Transcribed {
  const isOwn = ({ start }: Span): boolean => start >= part.start && start < part.end;
  const segments = whole.segments.flatMap((segment) => {
    const words = segment.words.filter(isOwn);
    return words.length === segment.words.length ? [segment] : segmentOf(words, segment.confidence);
  });
  return { ...whole, segments, translation: whole.translation.filter(isOwn) };
}

function segmentOf(words: RecognisedWord[], confidence: number): RecognisedSegment[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  const text = words.map((word, i) => (i > 0 && word.parted ? ` ${word.text}` : word.text)).join('');
  return [{ start: first.start, end: last.end, text, confidence, words }];
}

async function samplesOf(pack: AudioPack, start: number, end: number): Promise<Float32Array> {
  const from = Math.max(pack.start, Math.round(start * RATE));
  return pack.samples(from, Math.min(pack.end, Math.round(end * RATE), from + WINDOW_SAMPLES));
}

/**
 * Returns the language of a window: one of the recording's. Where those are unknown, by the window alone if that is
 * sure, else with the sound around it.
 */
async function languageOf(
  networks: Networks,
  pack: AudioPack,
  window: EncodedWindow,
  within: Span,
  { spoken }: TranscribeOptions,
): Promise<Spoken> {
  const { languages } = networks.tokens;
  if (spoken !== null) return languageAmong(spoken, window.languages, languages);
  let sum = window.languages;
  if (Math.max(...sum) < SURE) {
    const neighbours: Span[] = [
      { start: Math.max(pack.start / RATE, within.start - 30), end: within.start },
      { start: within.end, end: Math.min(pack.end / RATE, within.end + 30) },
    ];
    for (const { start, end } of neighbours) {
      if (end - start < 1) continue;
      const other = await EncodedWindow.encode(networks, await samplesOf(pack, start, end));
      sum = sum.map((value, i) => value + elementAt(other.languages, i) * (1 - other.noSpeech));
      await other.close();
    }
  }
  const total = sum.reduce((all, value) => all + value, 0);
  const best = likeliestOf(sum);
  return { language: elementAt(languages, best), probability: elementAt(sum, best) / total };
}

/**
 * Returns the first attempt that is neither a loop nor a guess, at rising temperatures; null where nobody speaks or
 * nothing is worth keeping. A repetitive likeliest text is accepted where another attempt confirms it: loops run until
 * they are cut off, or break with random sampling.
 */
async function writtenBest(
  window: EncodedWindow,
  tokens: Tokenizer,
  { mode, language, translate, prompt }: TranscribeOptions & { language: string },
  signal: AbortSignal,
): Promise<Written | null> {
  let best: Written | null = null;
  let repetitive: Written | null = null;
  const textOf = (written: Written): number[] => written.tokens.filter((token) => token < tokens.end);
  for (const temperature of TEMPERATURES[mode]) {
    const by = temperature > 0 ? { temperature } : mode === 'quality' ? 'best' : 'first';
    const written = await window.write({ language, translate, prompt, by, signal });
    if (written.logProbability < GUESS && window.noSpeech > NOBODY) return null;
    const isLoop = written.compression > LOOP;
    if (isLoop && written.ended && written.logProbability >= GUESS) {
      if (temperature === 0) repetitive = written;
      else if (repetitive !== null && inCommon(textOf(repetitive), textOf(written)) >= SAME) return repetitive;
    }
    if (!isLoop && (best === null || written.logProbability > best.logProbability)) best = written;
    if (!isLoop && written.logProbability >= GUESS) return written;
  }
  return best !== null && best.logProbability >= NONSENSE && tokens.text(best.tokens).trim() !== '' ? best : null;
}

/** Returns the share of the longer text's tokens that both have, in any place; 0..1. */
function inCommon(one: readonly number[], other: readonly number[]): number {
  const left = new Map<number, number>();
  for (const token of one) left.set(token, (left.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of other) {
    const count = left.get(token) ?? 0;
    if (count > 0) common += 1;
    left.set(token, count - 1);
  }
  return common / Math.max(one.length, other.length, 1);
}

interface TimedText {
  start: number;
  end: number;
  /** Index of its first token among those of text. */
  first: number;
  tokens: number[];
}

/** Splits the text at its times; seconds from the window's start. */
function partsBetweenTimes({ tokens: written }: Written, tokens: Tokenizer, until: number): TimedText[] {
  const parts: TimedText[] = [];
  let held: number[] = [];
  let start = 0;
  let count = 0;
  const close = (end: number): void => {
    if (held.length > 0)
      parts.push({ start, end: Math.max(start, Math.min(end, until)), first: count - held.length, tokens: held });
    held = [];
  };
  for (const token of written) {
    if (token < tokens.end) {
      held.push(token);
      count++;
    } else if (token >= tokens.times) {
      const at = (token - tokens.times) * TICK;
      close(at);
      start = at;
    }
  }
  close(until);
  return parts;
}

/** Returns segments with their words, without words where nobody speaks. */
async function segmentsOf(
  window: EncodedWindow,
  written: Written,
  tokens: Tokenizer,
  { language, from, until, voices }: { language: string; from: number; until: number; voices: readonly Span[] },
): Promise<RecognisedSegment[]> {
  const placed = (await window.place(written, { language })).map((word) => clamped(word, from, voices));
  return partsBetweenTimes(written, tokens, until - from).flatMap(({ first, tokens: own }) => {
    const words = placed
      .filter(({ token }) => token >= first && token < first + own.length)
      .filter((word) => touches(word, voices, SLACK));
    return segmentOf(
      words.map(({ token: _, ...word }) => ({ ...word, probability: round(word.probability) })),
      round(Math.exp(written.logProbability)),
    );
  });
}

/**
 * Limits a word's times, in the source's time. The alignment places a word where the one before it ends, and the first
 * at the very start, so a word that spans a pause is moved behind it.
 */
function clamped(word: PlacedWord, from: number, voices: readonly Span[]): PlacedWord {
  const end = from + Math.max(word.end, word.start);
  const start = from + word.start;
  const voice = voices.findLast((span) => span.start > start && span.start <= end - MIN_WORD);
  return { ...word, start: round(voice?.start ?? start), end: round(end) };
}

function unplaced(
  written: Written,
  tokens: Tokenizer,
  { from, until }: { from: number; until: number },
): RecognisedSegment[] {
  return partsBetweenTimes(written, tokens, until - from).map(({ start, end, tokens: own }) => ({
    start: round(from + start),
    end: round(from + end),
    text: tokens.text(own).trim(),
    confidence: round(Math.exp(written.logProbability)),
    words: [],
  }));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
