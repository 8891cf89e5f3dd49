import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { cosine, normalise } from '@adit/analyses/faces/embedding';
import { HOP_SECONDS, WINDOW_SECONDS, type VoicesObservations } from '@adit/analyses/voices/observations';
import { elementAt } from '@adit/contracts';

/** A window of sound with its voice embedding. JSON. */
export type VoiceWindow = VoicesObservations['windows'][number];

/** JSON, one and a half kilobytes per speaker, and per four windows. */
export type SpeakersState = {
  known: { sum: number[]; number: number | null }[];
  /** Unknown voices; stored under this key. */
  strangers: VoiceWindow[];
  recent: VoiceWindow[];
};

/** Seconds from the source's start. */
interface Span {
  start: number;
  end: number;
}

interface Speaker {
  /** Sum of the voice's directions in thousandths: integers, which JSON keeps exactly. */
  sum: readonly number[];
  /** Unit vector. */
  centre: Float32Array;
  /** 1 for the first speaker with words; null before. */
  number: number | null;
}

interface Voice {
  heard: VoiceWindow;
  /** Unit vector. */
  direction: Float32Array;
  /** Middle of its window. */
  time: number;
}

/** Cosine from which a voice belongs to a speaker, and unknown voices are one. */
const ALIKE = 0.7;
/** Windows this far apart hardly overlap. */
const APART = 2;
/** Number of windows after which unknown voices are forgotten: 8 s. */
const FORGOTTEN = 10;
export const MAX_SPEAKERS = 32;
/**
 * Seconds from the middle of a window within which it determines the speaker; and within which the nearest does where
 * there is no other.
 */
const NEAR = 0.8;
const FAR = 3;
/**
 * Margin, in cosine times seconds, by which a phrase has to sound more like two speakers than like one, and the least
 * seconds of each.
 */
const CHANGE = 0.1;
const MIN_SECONDS = 0.5;
const THOUSANDTHS = 1000;

/**
 * Online speaker diarisation: a voice joins the most similar speaker; unknown voices that continue for longer than a
 * window, each similar to the first, are a new speaker. Sound across a change of speakers resembles neither, but never
 * for that long. The result depends on the windows alone, not on the units.
 */
export class Speakers {
  private readonly known: Speaker[];
  private unknown: Voice[];
  private recent: Voice[];

  constructor({ known, strangers, recent }: SpeakersState = { known: [], strangers: [], recent: [] }) {
    this.known = known.map((speaker) => ({ ...speaker, centre: normalise(speaker.sum) }));
    this.unknown = strangers.map(voiceOf);
    this.recent = recent.map(voiceOf);
  }

  get state(): SpeakersState {
    return {
      known: this.known.map(({ sum, number }) => ({ sum: [...sum], number })),
      strangers: this.unknown.map(({ heard }) => heard),
      recent: this.recent.map(({ heard }) => heard),
    };
  }

  /** Adds the next window. */
  add(heard: VoiceWindow): void {
    const voice = voiceOf(heard);
    this.recent.push(voice);
    const nearest = this.nearestTo(voice);
    if (nearest !== null && nearest.likeness >= ALIKE) {
      joinTo(nearest.speaker, voice);
      this.unknown = [];
      return;
    }
    if (this.known.length >= MAX_SPEAKERS) return;
    this.unknown = this.unknown.filter((other) => heard.index - other.heard.index <= FORGOTTEN);
    this.unknown.push(voice);
    const alike = this.unknown.filter(({ direction }) => cosine(direction, voice.direction) >= ALIKE);
    if (heard.index - elementAt(alike, 0).heard.index < APART) return;
    this.meet(alike);
  }

  /**
   * Returns the speakers of a phrase's words, by number; null where no voice is near them. Within a phrase the speaker
   * changes at most once, where both sides clearly match different speakers.
   */
  ofPhrase(words: readonly Span[]): (number | null)[] {
    // Too little was heard to confirm one voice, so it is assumed.
    if (this.known.length === 0 && this.recent.length > 0) this.meet(this.recent);
    const scores = words.map((word) => this.likenessOf(word));
    const whole = best(totalOf(scores));
    if (whole === null) return words.map(() => null);
    let [cut, gain] = [words.length, CHANGE];
    for (let at = 1; at < words.length; at += 1) {
      const sides = [words.slice(0, at), words.slice(at)];
      if (sides.some((side) => elementAt(side, -1).end - elementAt(side, 0).start < MIN_SECONDS)) continue;
      const [left, right] = [best(totalOf(scores.slice(0, at))), best(totalOf(scores.slice(at)))];
      if (left === null || right === null || left.place === right.place) continue;
      const more = left.score + right.score - whole.score;
      if (more > gain) [cut, gain] = [at, more];
    }
    const before = best(totalOf(scores.slice(0, cut)))?.place ?? whole.place;
    const after = best(totalOf(scores.slice(cut)))?.place ?? whole.place;
    return words.map((_, at) => this.numberOf(at < cut ? before : after));
  }

  /** Forgets voices that earlier words needed. */
  forget(before: number): void {
    this.recent = this.recent.filter(({ time }) => time >= before - FAR);
  }

  private nearestTo({ direction }: Voice): { speaker: Speaker; likeness: number } | null {
    let nearest: { speaker: Speaker; likeness: number } | null = null;
    for (const speaker of this.known) {
      const likeness = cosine(speaker.centre, direction);
      if (nearest === null || likeness > nearest.likeness) nearest = { speaker, likeness };
    }
    return nearest;
  }

  private meet(voices: readonly Voice[]): void {
    const speaker: Speaker = { sum: [], centre: new Float32Array(), number: null };
    for (const voice of voices) joinTo(speaker, voice);
    this.known.push(speaker);
    this.unknown = [];
  }

  /** Returns the similarity of a word to each speaker, cosine times seconds; zeros where no voice is near it. */
  private likenessOf({ start, end }: Span): number[] {
    const middle = (start + end) / 2;
    const away = ({ time }: Voice): number => Math.abs(time - middle);
    let near = this.recent.flatMap((voice) => {
      const weight = 1 - away(voice) / NEAR;
      return weight > 0 ? [{ voice, weight }] : [];
    });
    if (near.length === 0) {
      const [nearest] = [...this.recent].sort((a, b) => away(a) - away(b));
      if (nearest && away(nearest) <= FAR) near = [{ voice: nearest, weight: 1 }];
    }
    const weights = near.reduce((sum, { weight }) => sum + weight, 0);
    return this.known.map(({ centre }) => {
      const sum = near.reduce((total, { voice, weight }) => total + weight * cosine(centre, voice.direction), 0);
      return weights === 0 ? 0 : (sum / weights) * (end - start);
    });
  }

  private numberOf(place: number): number {
    const speaker = elementAt(this.known, place);
    speaker.number ??= 1 + this.known.filter(({ number }) => number !== null).length;
    return speaker.number;
  }
}

function voiceOf(heard: VoiceWindow): Voice {
  const time = heard.index * HOP_SECONDS + WINDOW_SECONDS / 2;
  return { heard, direction: decodeDirection(heard.voice), time };
}

function joinTo(speaker: Speaker, { direction }: Voice): void {
  speaker.sum = Array.from(direction, (value, i) => (speaker.sum[i] ?? 0) + Math.round(value * THOUSANDTHS));
  speaker.centre = normalise(speaker.sum);
}

function totalOf(scores: readonly number[][]): number[] {
  return scores.reduce((total, each) => each.map((score, i) => score + (total[i] ?? 0)), []);
}

/** Null where nothing is above 0. */
function best(scores: readonly number[]): { place: number; score: number } | null {
  const score = Math.max(0, ...scores);
  return score === 0 ? null : { place: scores.indexOf(score), score };
}
