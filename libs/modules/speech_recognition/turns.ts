import { HOP_SECONDS } from '@adit/analyses/voices/observations';
import type { HeardWord } from '@adit/analyses/speech/observations';
import { elementAt, zip } from '@adit/contracts';
import type { OpenParagraph, SaidWord } from './paragraphs.js';
import { Speakers, type HeardVoice, type SpeakersState } from './speakers.js';

/** A word of which it is not decided yet who says it. */
export interface WaitingWord {
  word: HeardWord;
  language: string;
  /** Whether it is the last of a stretch that was recognised on its own. */
  endsStretch: boolean;
}

export type SpokenWord = WaitingWord & SaidWord;

/** JSON. */
export type Stored = {
  /** With the words behind it that wait for their speaker: a build that tells nobody apart goes on with all of them. */
  open: OpenParagraph | null;
  /** Lost where such a build had a hand in it: from there on it is not known who speaks. */
  turns?: { speakers: SpeakersState; waiting: { language: string; endsStretch: boolean }[] };
};

/** What was stored: the paragraph that is open, and the words behind it with those who speak. */
export function takenUp({ open, turns }: Stored): { open: OpenParagraph | null; turns: Turns | null } {
  if (turns === undefined) return { open, turns: null };
  const { words = [], ...rest } = open ?? { language: '' };
  const decided = words.length - turns.waiting.length;
  const waiting = [...zip(words.slice(decided), turns.waiting)].map(([word, said]) => ({ word, ...said }));
  return {
    open: decided === 0 ? null : { ...rest, words: words.slice(0, decided) },
    turns: new Turns(new Speakers(turns.speakers), waiting),
  };
}

/** The same put together again. */
export function putDown(open: OpenParagraph | null, turns: Turns | null): Stored {
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

/** Seconds of voices to be heard after a word before it is decided who says it: somebody new is known by then. */
const PATIENCE = 5;
/** A pause that ends a phrase, and how long one is at most, seconds. */
const PAUSE = 0.2;
const LONGEST = 10;

/** Who says what: words wait until enough is heard after them, and are decided a phrase at a time. */
export class Turns {
  constructor(
    readonly speakers = new Speakers(),
    /** In order. */
    readonly waiting: WaitingWord[] = [],
  ) {}

  /** The words and the voices of the next unit: tells the words that need wait no longer. */
  hear(words: readonly WaitingWord[], voices: readonly HeardVoice[]): SpokenWord[] {
    this.waiting.push(...words);
    return voices.flatMap((voice) => {
      this.speakers.hear(voice);
      // Window by window, so that it is the same however they come.
      return this.decided(voice.index * HOP_SECONDS - PATIENCE);
    });
  }

  /** All that is left, when nothing more is heard. */
  rest(): SpokenWord[] {
    return this.decided(Infinity);
  }

  /** Phrases that end by then. */
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

  /** Words of the first phrase that waits. */
  private phraseLength(): number {
    const start = elementAt(this.waiting, 0).word.start;
    const next = this.waiting.findIndex(({ word }, i) => {
      const before = this.waiting[i - 1]?.word;
      return before !== undefined && (word.start - before.end >= PAUSE || word.end - start > LONGEST);
    });
    return next < 0 ? this.waiting.length : next;
  }
}
