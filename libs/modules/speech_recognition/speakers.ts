import { decodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { cosine, normalise } from '@adit/analyses/faces/embedding';
import { HOP_SECONDS, WINDOW_SECONDS, type VoicesObservations } from '@adit/analyses/voices/observations';
import { elementAt } from '@adit/contracts';

/** A window of sound and what the voice in it is like. JSON. */
export type HeardVoice = VoicesObservations['windows'][number];

/** JSON, a kilobyte and a half for a speaker, and for four windows. */
export type SpeakersState = {
  known: { sum: number[]; number: number | null }[];
  strangers: HeardVoice[];
  recent: HeardVoice[];
};

/** Seconds from the source's start. */
interface Span {
  start: number;
  end: number;
}

interface Speaker {
  /** Of the directions of the voice, in thousandths: whole numbers, which JSON keeps as they are. */
  sum: readonly number[];
  /** Of length 1. */
  centre: Float32Array;
  /** 1 for the first whose words were heard; null before. */
  number: number | null;
}

interface Voice {
  heard: HeardVoice;
  /** Of length 1. */
  direction: Float32Array;
  /** The middle of its window. */
  time: number;
}

/** Cosine from which a voice is a speaker's, and strangers are one. */
const ALIKE = 0.7;
/** Windows so far apart have next to nothing in common. */
const APART = 2;
/** Strangers of more windows ago than these are forgotten: 8 s. */
const FORGOTTEN = 10;
export const MOST_SPEAKERS = 32;
/** Seconds from the middle of a window within which it says who speaks; and within which the nearest does where no other is. */
const NEAR = 0.8;
const FAR = 3;
/** How much more, in cosine times seconds, a phrase must sound like two speakers than like one, and the seconds that each has. */
const CHANGE = 0.1;
const SHORTEST = 0.5;
const THOUSANDTHS = 1000;

/**
 * Tells speakers apart as they come: a voice joins the speaker that it is most like; strangers that go on for longer than a window
 * lasts, each like the first, are somebody new. What is heard across a change of speakers is like neither, but never for that long.
 * What comes out depends on the windows alone, not on how units part them.
 */
export class Speakers {
  private readonly known: Speaker[];
  private strangers: Voice[];
  private recent: Voice[];

  constructor({ known, strangers, recent }: SpeakersState = { known: [], strangers: [], recent: [] }) {
    this.known = known.map((speaker) => ({ ...speaker, centre: normalise(speaker.sum) }));
    this.strangers = strangers.map(voiceOf);
    this.recent = recent.map(voiceOf);
  }

  get state(): SpeakersState {
    return {
      known: this.known.map(({ sum, number }) => ({ sum: [...sum], number })),
      strangers: this.strangers.map(({ heard }) => heard),
      recent: this.recent.map(({ heard }) => heard),
    };
  }

  /** The next window. */
  hear(heard: HeardVoice): void {
    const voice = voiceOf(heard);
    this.recent.push(voice);
    const nearest = this.nearestTo(voice);
    if (nearest !== null && nearest.likeness >= ALIKE) {
      joinTo(nearest.speaker, voice);
      this.strangers = [];
      return;
    }
    if (this.known.length >= MOST_SPEAKERS) return;
    this.strangers = this.strangers.filter((stranger) => heard.index - stranger.heard.index <= FORGOTTEN);
    this.strangers.push(voice);
    const alike = this.strangers.filter(({ direction }) => cosine(direction, voice.direction) >= ALIKE);
    if (heard.index - elementAt(alike, 0).heard.index < APART) return;
    this.meet(alike);
  }

  /**
   * Who says the words of a phrase, by number; null where no voice is heard near them. Within it the speaker changes once, where both
   * sides sound clearly more like themselves.
   */
  ofPhrase(words: readonly Span[]): (number | null)[] {
    // Too little was heard to be sure that it is one voice; whose else should it be?
    if (this.known.length === 0 && this.recent.length > 0) this.meet(this.recent);
    const scores = words.map((word) => this.likenessOf(word));
    const whole = best(totalOf(scores));
    if (whole === null) return words.map(() => null);
    let [cut, gain] = [words.length, CHANGE];
    for (let at = 1; at < words.length; at += 1) {
      const sides = [words.slice(0, at), words.slice(at)];
      if (sides.some((side) => elementAt(side, -1).end - elementAt(side, 0).start < SHORTEST)) continue;
      const [left, right] = [best(totalOf(scores.slice(0, at))), best(totalOf(scores.slice(at)))];
      if (left === null || right === null || left.place === right.place) continue;
      const more = left.score + right.score - whole.score;
      if (more > gain) [cut, gain] = [at, more];
    }
    const before = best(totalOf(scores.slice(0, cut)))?.place ?? whole.place;
    const after = best(totalOf(scores.slice(cut)))?.place ?? whole.place;
    return words.map((_, at) => this.numberOf(at < cut ? before : after));
  }

  /** Nothing is asked any more of what was said before. */
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
    this.strangers = [];
  }

  /** How much a word sounds like each speaker, cosine times seconds; zeros where nothing is heard near it. */
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

function voiceOf(heard: HeardVoice): Voice {
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
