import type { AudioInterval } from '@adit/contracts';
import { audioGridAround, defineAnalysis, GRID_MARGIN_SECONDS, type AudioPack } from '@adit/inference';
import { z } from 'zod';
import { levelled } from '../voice-activity/level.js';
import { SAMPLE_RATE, SoundTrack, voiceIn } from '../voice-activity/voice.js';
import { EXCERPTS, spokenIn, SpokenLanguages, type Spoken } from './language.js';
import { SpeechObservations } from './observations.js';
import { Tokenizer } from './tokenizer.js';
import { promptOf } from './prompt.js';
import { partOf, SLACK, transcribe, type Transcribed } from './transcribe.js';
import { touches, voicesOf, type Span } from './voices.js';

const SpeechAnalysisArguments = z.strictObject({
  /** ISO 639-1; `auto` detects the language of the whole recording. */
  language: z.string().default('auto'),
  mode: z.enum(['quality', 'performance']).default('quality'),
  /** Adds an English translation. */
  translate: z.boolean().default(false),
  /** Words that are likely to occur, in their spelling, the most important first. */
  keywords: z.array(z.string().max(200)).max(1000).default([]),
  track: SoundTrack,
});

/** Seconds of sound before each window that settle the voice detector. */
const SETTLE_SECONDS = 1;

/** Transcribes speech word by word with Whisper. */
export default defineAnalysis({
  name: 'speech',
  family: 'speech',
  version: 6,
  args: SpeechAnalysisArguments,
  observations: SpeechObservations,
  models: ['whisper-base', 'whisper-base-decoder', 'silero-vad'],
  // Windows cover the whole sound, wherever chunks end; a second before them settles the voice detector.
  input: {
    kind: 'audio',
    specs: ({ language, track }) => [
      { sampleRate: SAMPLE_RATE, channels: 1, overlapSeconds: GRID_MARGIN_SECONDS + SETTLE_SECONDS, track },
      ...(language === 'auto'
        ? [{ sampleRate: SAMPLE_RATE, channels: 1 as const, overlapSeconds: 0, excerpts: EXCERPTS, track }]
        : []),
    ],
  },
  async analyse({ unit, packs: [pack, excerpts] }, { args, networks, signal }) {
    if (!pack) throw new RangeError('The analysis speech needs a pack of sound.');
    const decoder = networks['whisper-base-decoder'];
    const tokens = await tokenizerOf(decoder);
    const whisper = { encoder: networks['whisper-base'], decoder, tokens };
    const prompt = promptOf(args.keywords, tokens);
    const spokenInWhole = async (): Promise<Spoken[] | null> => {
      if (args.language !== 'auto') return [{ language: args.language, probability: 1 }];
      if (!excerpts) return null;
      const vad = networks['silero-vad'];
      const heardBy = [whisper.encoder, decoder, vad].map(({ digest }) => digest);
      // Those of a live stream grow while it begins.
      const key = [unit.mediaDigest, args.track, excerpts.decoder, excerpts.end, ...heardBy].join();
      return spokenLanguages.of(key, () => spokenIn({ ...whisper, vad }, excerpts, signal));
    };
    const own = { start: pack.ownStart / SAMPLE_RATE, end: pack.ownEnd / SAMPLE_RATE };
    const transcribed: (Transcribed & { seconds: number })[] = [];
    const voices: Span[] = [];
    for (const { startMs, endMs } of await windowsOf(pack)) {
      const within = { start: startMs / 1000, end: Math.min(endMs / 1000, pack.end / SAMPLE_RATE) };
      const [start, end] = [Math.round(within.start * SAMPLE_RATE), Math.round(within.end * SAMPLE_RATE)];
      const settleFrom = Math.max(0, start - SETTLE_SECONDS * SAMPLE_RATE);
      const interval = { settleFrom, from: start, to: end };
      const loud = await levelled(pack, interval);
      const voice = await voiceIn(networks['silero-vad'], loud, interval, signal);
      const spoken = voicesOf(voice.likely, voice.first, within);
      const spokenHere = spoken.flatMap((voice) => inside(voice, own));
      voices.push(...spokenHere);
      const [first] = spoken;
      const last = spoken.at(-1);
      // Words begin neither before the first voice of a window nor long after the last, so silent windows are skipped.
      if (!first || !last || !touches(own, [{ start: first.start, end: last.end }], SLACK)) continue;
      const options = { ...args, prompt, spoken: await spokenInWhole() };
      const written = await transcribe(whisper, loud, { within, voices: spoken }, options, signal);
      if (written === null) continue;
      const seconds = spokenHere.reduce((sum, { start, end }) => sum + end - start, 0);
      // If a window continues in another chunk, each chunk keeps its own words.
      const from = within.start < own.start ? own.start : -Infinity;
      const until = within.end > own.end ? own.end : Infinity;
      transcribed.push({ ...partOf(written, { start: from, end: until }), seconds });
    }
    const longest = transcribed.reduce<(typeof transcribed)[number] | null>(
      (a, b) => (a && a.seconds >= b.seconds ? a : b),
      null,
    );
    return {
      ...own,
      language: longest?.language ?? null,
      languageProbability: longest?.languageProbability ?? 0,
      voices: voices.map(({ start, end }) => ({ start: rounded(start), end: rounded(end) })),
      segments: transcribed.flatMap(({ segments }) => segments),
      translation: transcribed.flatMap(({ translation }) => translation),
    };
  },
});

/** Returns the windows that reach into a pack's own sound: those of the whole, or itself where it was cut in pauses. */
async function windowsOf(pack: AudioPack): Promise<AudioInterval[]> {
  if (pack.window !== true) return audioGridAround(pack);
  const ms = (sample: number): number => Math.round((sample * 1000) / SAMPLE_RATE);
  return [{ startMs: ms(pack.ownStart), endMs: ms(pack.ownEnd) }];
}

/** Returns the part of a span within another, if any. */
function inside({ start, end }: Span, within: Span): Span[] {
  const part = { start: Math.max(start, within.start), end: Math.min(end, within.end) };
  return part.end > part.start ? [part] : [];
}

const spokenLanguages = new SpokenLanguages();

/** Cached by the digest of the model, since reading takes a moment. */
const tokenizers = new Map<string, Promise<Tokenizer>>();

function tokenizerOf(decoder: { digest: string; readFile(name: string): Promise<Buffer> }): Promise<Tokenizer> {
  const known = tokenizers.get(decoder.digest);
  if (known) return known;
  const reading = decoder.readFile('tokenizer.data').then((file) => new Tokenizer(file));
  tokenizers.set(decoder.digest, reading);
  reading.catch(() => tokenizers.delete(decoder.digest));
  return reading;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
