import { HOP_SECONDS } from '@adit/analyses/voices/observations';
import type { RecognisedWord } from '@adit/analyses/speech/observations';
import { elementAt, zip } from '@adit/contracts';
import type { OpenParagraph, SaidWord } from './paragraphs.js';
import { Speakers, type VoiceWindow, type SpeakersState } from './speakers.js';

/** A word whose speaker is not decided yet. */
export interface WaitingWord {
  word: RecognisedWord;
  language: string;
  /** True for the last word of a separately recognised part. */
  endsStretch: boolean;
}

export type SpokenWord = WaitingWord & SaidWord;

/** JSON. */
export type Stored = {
  /** Includes the words that wait for their speaker, so that a build without speakers continues with all of them. */
  open: OpenParagraph | null;
  /** Lost when such a build processed the state: from then on speakers are unknown. */
  turns?: { speakers: SpeakersState; waiting: { language: string; endsStretch: boolean }[] };
};

/** Restores the open paragraph, and the waiting words with their speakers. */
export function takenUp({ open, turns }: Stored): { open: OpenParagraph | null; turns: SpeakerTurns | null } {
  if (turns === undefined) return { open, turns: null };
  const { words = [], ...rest } = open ?? { language: '' };
  const decided = words.length - turns.waiting.length;
  const waiting = [...zip(words.slice(decided), turns.waiting)].map(([word, said]) => ({ word, ...said }));
  return {
    open: decided === 0 ? null : { ...rest, words: words.slice(0, decided) },
    turns: new SpeakerTurns(new Speakers(turns.speakers), waiting),
  };
}

/** Stores the same. */
export function putDown(open: OpenParagraph | null, turns: SpeakerTurns | null): Stored {
  if (turns === null) return { open };
  const { speakers, waiting } = turns;
  const stored = {
    speakers: speakers.state,
    waiting: waiting.map(({ language, endsStretch }) => ({ language, endsStretch })),
  };
  const [first] = waiting;
  if (first === undefined) return { open, turns: stored };
  const { words, ...rest } = open ?? { words: [], language: first.language };
  return { open: { ...rest, words: [...words, ...waiting.map(({ word }) => word)] }, turns: stored };
}

/** Seconds of voices that have to follow a word before its speaker is decided: a new one is known by then. */
const PATIENCE = 5;
/** Pause that ends a phrase, and the longest phrase, in seconds. */
const PAUSE = 0.2;
const MAX_PHRASE_SECONDS = 10;

/** Assigns words to speakers: words wait until enough is known after them, and are decided phrase by phrase. */
export class SpeakerTurns {
  constructor(
    readonly speakers = new Speakers(),
    /** In order. */
    readonly waiting: WaitingWord[] = [],
  ) {}

  /** Adds the words and voices of the next unit; returns the decided words. */
  add(words: readonly WaitingWord[], voices: readonly VoiceWindow[]): SpokenWord[] {
    this.waiting.push(...words);
    return voices.flatMap((voice) => {
      this.speakers.add(voice);
      // Processed window by window, so that the result does not depend on units.
      return this.decided(voice.index * HOP_SECONDS - PATIENCE);
    });
  }

  /** Decides the remaining words at the end. */
  rest(): SpokenWord[] {
    return this.decided(Infinity);
  }

  /** Decides phrases that end by then. */
  private decided(until: number): SpokenWord[] {
    const spoken: SpokenWord[] = [];
    while (this.waiting.length > 0) {
      const phrase = this.waiting.slice(0, this.phraseLength());
      if (elementAt(phrase, -1).word.end > until) break;
      this.waiting.splice(0, phrase.length);
      const numbers = this.speakers.ofPhrase(phrase.map(({ word }) => word));
      spoken.push(...[...zip(phrase, numbers)].map(([each, speaker]) => ({ ...each, speaker })));
    }
    this.speakers.forget(this.waiting[0]?.word.start ?? until);
    return spoken;
  }

  /** Returns the number of words in the first waiting phrase. */
  private phraseLength(): number {
    const start = elementAt(this.waiting, 0).word.start;
    const next = this.waiting.findIndex(({ word }, i) => {
      const before = this.waiting[i - 1]?.word;
      return before !== undefined && (word.start - before.end >= PAUSE || word.end - start > MAX_PHRASE_SECONDS);
    });
    return next < 0 ? this.waiting.length : next;
  }
}
