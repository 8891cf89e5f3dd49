import { dropOldest, elementAt } from '@adit/contracts';
import type { AudioPack, NetworkSession } from '@adit/inference';
import { levelled } from '../voice-activity/level.js';
import { SAMPLE_RATE, voiceIn } from '../voice-activity/voice.js';
import { voicesOf } from './voices.js';
import { HeardWindow, type Networks } from './whisper.js';

/** Of a recording, spread evenly, by which its language is told: what Whisper hears of 8 s takes a quarter of a window's work. */
export const EXCERPTS = { count: 8, seconds: 8 };
/** What a language must be held likely for a window or an excerpt alone to decide it. */
export const SURE = 0.8;
/** Of the voices in the excerpts, in a language that they are sure of, for a recording to have it besides its first one. */
const ALSO = 0.3;
/** Seconds of voice in an excerpt below which nobody can tell. */
const SHORTEST = 1;
/** A recording that is no longer is one window, or hardly more: what is heard of that says it better. */
const ONE_WINDOW = 24;

/** A language that is spoken, and how likely it is, 0..1. */
export interface Spoken {
  language: string;
  probability: number;
}

/**
 * What is spoken in a recording by its excerpts, which each of its chunks comes with: one language, or, where several each are
 * heard for long and surely, those. Null where the excerpts say nothing: nobody speaks in them, or they are hardly more than a window.
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
    if (seconds < SHORTEST) continue;
    const window = await HeardWindow.hear(networks, await loud.samples(from, to), { seconds: EXCERPTS.seconds });
    await window.close();
    votes.push({ likely: window.languages, weight: seconds * (1 - window.noSpeech) });
  }
  return elected(votes, networks.tokens.languages);
}

/** What one excerpt says: how likely it is each language, and how much that counts. */
export interface Vote {
  likely: Float64Array;
  weight: number;
}

/** The languages of a recording by the votes of its excerpts, with their shares; null without votes. */
export function elected(votes: readonly Vote[], languages: readonly string[]): Spoken[] | null {
  const all = votes.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return null;
  const shareOf = (count: (likely: number) => number): Float64Array =>
    Float64Array.from(
      languages,
      (_, i) => votes.reduce((sum, { likely, weight }) => sum + count(elementAt(likely, i)) * weight, 0) / all,
    );
  const shares = shareOf((likely) => likely);
  // Languages that are alike share votes in a recording of one of them: what nothing is sure of is none besides.
  const sure = shareOf((likely) => (likely >= SURE ? 1 : 0));
  const top = likeliestOf(shares);
  return languages.flatMap((language, i) =>
    i === top || elementAt(sure, i) >= ALSO ? [{ language, probability: elementAt(shares, i) }] : [],
  );
}

/** That of the recording which a window is in; `likely` says how likely it is each of `languages`. */
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

/** The place of the largest. */
export function likeliestOf(values: Float64Array): number {
  return values.reduce((top, value, i) => (value > elementAt(values, top) ? i : top), 0);
}

/** Recordings whose language is known, the latest last: their chunks come one after the other, and all ask the same. */
const KNOWN = 256;

/** Remembers what is spoken in each of the latest recordings. Equal keys are equal sounds and networks. */
export class SpokenLanguages {
  private readonly known = new Map<string, Spoken[] | null>();

  /** What `listen` says, unless it is known. Chunks that ask at the same time all listen: one that breaks off breaks no other off. */
  async of(key: string, listen: () => Promise<Spoken[] | null>): Promise<Spoken[] | null> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const spoken = await listen();
    this.known.set(key, spoken);
    dropOldest(this.known, KNOWN);
    return spoken;
  }
}
