import { dropOldest, elementAt } from '@adit/contracts';
import type { AudioPack, NetworkSession } from '@adit/inference';
import { levelled } from '../voice-activity/level.js';
import { SAMPLE_RATE, voiceIn } from '../voice-activity/voice.js';
import { voicesOf } from './voices.js';
import { EncodedWindow, type Networks } from './whisper.js';

/** Excerpts of a recording, spread evenly, for language detection: 8 s cost a quarter of a window. */
export const EXCERPTS = { count: 8, seconds: 8 };
/** Least probability at which a window or an excerpt alone decides the language. */
export const SURE = 0.8;
/** Least share of the voices in the excerpts, surely in a second language, for the recording to have it. */
const ALSO = 0.3;
/** Seconds of voice in an excerpt below which detection is unreliable. */
const MIN_VOICE_SECONDS = 1;
/** Seconds up to which a recording is about one window, which detects the language better. */
const ONE_WINDOW = 24;

/** A spoken language and its probability, 0..1. */
export interface Spoken {
  language: string;
  probability: number;
}

/**
 * Detects the languages of a recording by its excerpts, which accompany each of its chunks: one, or several where each
 * is spoken for long and surely. Null where the excerpts do not tell: nobody speaks in them, or they are hardly more
 * than a window.
 */
export async function spokenIn(
  networks: Networks & { vad: NetworkSession },
  excerpts: AudioPack,
  signal: AbortSignal,
): Promise<Spoken[] | null> {
  if (excerpts.end <= ONE_WINDOW * SAMPLE_RATE) return null;
  const votes: Vote[] = [];
  for (let from = 0; from < excerpts.end; from += EXCERPTS.seconds * SAMPLE_RATE) {
    signal.throwIfAborted();
    const to = Math.min(from + EXCERPTS.seconds * SAMPLE_RATE, excerpts.end);
    const loud = await levelled(excerpts, { from, to });
    const { first, likely } = await voiceIn(networks.vad, loud, { settleFrom: from, from, to }, signal);
    const voices = voicesOf(likely, first, { start: from / SAMPLE_RATE, end: to / SAMPLE_RATE });
    const seconds = voices.reduce((sum, { start, end }) => sum + end - start, 0);
    if (seconds < MIN_VOICE_SECONDS) continue;
    const window = await EncodedWindow.encode(networks, await loud.samples(from, to), { seconds: EXCERPTS.seconds });
    await window.close();
    votes.push({ likely: window.languages, weight: seconds * (1 - window.noSpeech) });
  }
  return elected(votes, networks.tokens.languages);
}

/** Vote of one excerpt: the probability of each language, and its weight. */
export interface Vote {
  likely: Float64Array;
  weight: number;
}

/** Returns the languages of a recording by the votes of its excerpts, with their shares; null without votes. */
export function elected(votes: readonly Vote[], languages: readonly string[]): Spoken[] | null {
  const all = votes.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return null;
  const shareOf = (count: (likely: number) => number): Float64Array =>
    Float64Array.from(
      languages,
      (_, i) => votes.reduce((sum, { likely, weight }) => sum + count(elementAt(likely, i)) * weight, 0) / all,
    );
  const shares = shareOf((likely) => likely);
  // Similar languages share votes in a recording of one of them, so a language that no excerpt is sure of does not
  // count.
  const sure = shareOf((likely) => (likely >= SURE ? 1 : 0));
  const top = likeliestOf(shares);
  return languages.flatMap((language, i) =>
    i === top || elementAt(sure, i) >= ALSO ? [{ language, probability: elementAt(shares, i) }] : [],
  );
}

/**
 * Returns the language of a window among those of the recording; `likely` has the probability of each of `languages`.
 */
export function languageAmong(spoken: readonly Spoken[], likely: Float64Array, languages: readonly string[]): Spoken {
  const [only] = spoken;
  if (only && spoken.length === 1) return only;
  const rated = spoken.map(({ language, probability }) => ({
    language,
    probability: probability * elementAt(likely, languages.indexOf(language)),
  }));
  const sum = rated.reduce((total, { probability }) => total + probability, 0);
  const best = rated.reduce((a, b) => (b.probability > a.probability ? b : a));
  return { ...best, probability: best.probability / sum };
}

/** Returns the index of the largest value. */
export function likeliestOf(values: Float64Array): number {
  return values.reduce((top, value, i) => (value > elementAt(values, top) ? i : top), 0);
}

/**
 * Number of recordings whose language is cached, the most recent last: their chunks come in sequence and all ask for
 * it.
 */
const KNOWN = 256;

/** Caches the languages of the latest recordings. Equal keys mean equal sounds and networks. */
export class SpokenLanguages {
  private readonly known = new Map<string, Spoken[] | null>();

  /**
   * Returns the result of `listen`, unless it is cached. Concurrent chunks all run it, so that one abort does not
   * affect the others.
   */
  async of(key: string, listen: () => Promise<Spoken[] | null>): Promise<Spoken[] | null> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const spoken = await listen();
    this.known.set(key, spoken);
    dropOldest(this.known, KNOWN);
    return spoken;
  }
}
