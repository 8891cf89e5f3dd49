import { defineAnalysis, planAudioGrid, type AudioPack } from '@adit/inference';
import { z } from 'zod';
import { SAMPLE_RATE, voiceIn } from '../voice-activity/voice.js';
import { SpeechObservations } from './observations.js';
import { Tokenizer } from './tokenizer.js';
import { transcribe, type Transcribed } from './transcribe.js';
import { voicesOf, type Span } from './voices.js';

const SpeechAnalysisArguments = z.strictObject({
  /** ISO 639-1; `auto` listens which it is. */
  language: z.string().default('auto'),
  mode: z.enum(['quality', 'performance']).default('quality'),
  /** In English as well. */
  translate: z.boolean().default(false),
  /** What is taken to have been said before: it makes the words in it likelier. */
  prompt: z.string().default(''),
});

/** What is said, word by word, with Whisper. */
export default defineAnalysis({
  name: 'speech',
  family: 'speech',
  version: 1,
  args: SpeechAnalysisArguments,
  observations: SpeechObservations,
  models: ['whisper-base', 'whisper-base-decoder', 'silero-vad'],
  // A window that leaves its language open asks its neighbours.
  input: {
    kind: 'audio',
    specs: ({ language }) => [{ sampleRate: SAMPLE_RATE, channels: 1, overlapSeconds: language === 'auto' ? 30 : 1 }],
  },
  async analyse({ packs: [pack] }, { args, networks, signal }) {
    if (!pack) throw new RangeError('The analysis speech needs a pack of sound.');
    const decoder = networks['whisper-base-decoder'];
    const tokens = await tokenizerOf(decoder);
    const whisper = { encoder: networks['whisper-base'], decoder, tokens };
    const prompt = args.prompt === '' ? [] : tokens.encode(` ${args.prompt}`);
    const heard: (Transcribed & { seconds: number })[] = [];
    const voices: Span[] = [];
    for (const within of await windowsOf(pack)) {
      const [from, to] = [Math.round(within.start * SAMPLE_RATE), Math.round(within.end * SAMPLE_RATE)];
      // The same sound before each window, whatever the chunk has.
      const settleFrom = Math.max(pack.start, from - SAMPLE_RATE);
      const { first, likely } = await voiceIn(networks['silero-vad'], pack, { settleFrom, from, to }, signal);
      const spoken = voicesOf(likely, first, within);
      voices.push(...spoken);
      const written = await transcribe(whisper, pack, { within, voices: spoken }, { ...args, prompt }, signal);
      if (written) heard.push({ ...written, seconds: spoken.reduce((sum, { start, end }) => sum + end - start, 0) });
    }
    const longest = heard.reduce<(typeof heard)[number] | null>((a, b) => (a && a.seconds >= b.seconds ? a : b), null);
    return {
      start: pack.ownStart / SAMPLE_RATE,
      end: pack.ownEnd / SAMPLE_RATE,
      language: longest?.language ?? null,
      languageProbability: longest?.languageProbability ?? 0,
      voices: voices.map(({ start, end }) => ({ start: rounded(start), end: rounded(end) })),
      segments: heard.flatMap(({ segments }) => segments),
      translation: heard.flatMap(({ translation }) => translation),
    };
  },
});

/** By the digest of its model: reading it takes a moment. */
const tokenizers = new Map<string, Promise<Tokenizer>>();

function tokenizerOf(decoder: { digest: string; readFile(name: string): Promise<Buffer> }): Promise<Tokenizer> {
  const known = tokenizers.get(decoder.digest);
  if (known) return known;
  const reading = decoder.readFile('tokenizer.data').then((file) => new Tokenizer(file));
  tokenizers.set(decoder.digest, reading);
  reading.catch(() => tokenizers.delete(decoder.digest));
  return reading;
}

/** The pack's own sound in stretches that Whisper hears at once, cut as chunks are: a chunk is one, a longer one several. */
async function windowsOf(pack: AudioPack): Promise<Span[]> {
  const { ownStart, ownEnd } = pack;
  async function* pieces(): AsyncGenerator<Float32Array> {
    for (let at = ownStart; at < ownEnd; at += 10 * SAMPLE_RATE) {
      yield await pack.samples(at, Math.min(at + 10 * SAMPLE_RATE, ownEnd));
    }
  }
  const start = ownStart / SAMPLE_RATE;
  const grid = await planAudioGrid(pieces());
  return grid.map(({ startMs, endMs }) => ({
    start: start + startMs / 1000,
    end: Math.min(start + endMs / 1000, ownEnd / SAMPLE_RATE),
  }));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
