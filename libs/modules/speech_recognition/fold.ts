import { FRAME_SECONDS, VoiceActivityObservations } from '@adit/analyses/voice-activity/observations';
import { SpeechObservations, type RecognisedWord } from '@adit/analyses/speech/observations';
import { VoicesObservations } from '@adit/analyses/voices/observations';
import { elementAt, isLiveStream, type Json } from '@adit/contracts';
import type { LabelDictionaries } from '@adit/dictionaries';
import type { ClosedSource, Fold, FoldContext, FoldInput, FoldStep, OpenSegment, Segment } from '@adit/module-kit';
import type { SpeechArguments } from './args.js';
import type { Entity } from './entities.js';
import {
  endsBefore,
  endsSentenceBefore,
  isOver,
  speakerOf,
  textOf,
  withWord,
  type OpenParagraph,
} from './paragraphs.js';
import { spelled } from './spelling.js';
import { putDown, takenUp, SpeakerTurns, type Stored, type SpokenWord, type WaitingWord } from './speaker-turns.js';

/** JSON; the current paragraph, and the start of the current silence. */
export type SpeechState = Stored & {
  /** Start of the current silence; null while somebody speaks. */
  silentSince: number | null;
  /** End of the last unit. */
  heardTo: number;
};

interface Span {
  start: number;
  end: number;
}

/** Fold of speech into paragraphs. */
export class SpeechFold implements Fold<SpeechState> {
  constructor(
    private readonly args: SpeechArguments,
    private readonly dictionaries: LabelDictionaries,
    /** Returns the entities of a text in a language; null for an unsupported one. */
    private readonly entitiesOf: (text: string, language: string) => Entity[] | null = () => null,
  ) {}

  start(): SpeechState {
    return { ...putDown(null, new SpeakerTurns()), silentSince: null, heardTo: 0 };
  }

  fold(state: SpeechState, { observations }: FoldInput, context: FoldContext): FoldStep<SpeechState> {
    const heard = SpeechObservations.parse(observations['speech']);
    const { enable_vad: onlyVoices, detect_silence: tellsSilence } = this.args;
    const voices = onlyVoices || tellsSilence ? this.voicesOf(observations['voice-activity']) : [];
    const language = heard.language ?? 'en';
    const words = heard.segments.flatMap((segment): WaitingWord[] => {
      const said = onlyVoices ? segment.words.filter((word) => isIn(word, voices)) : segment.words;
      const written = spelled(said, this.dictionaries, language);
      return written.map((word, i) => ({ word, language, endsStretch: i === written.length - 1 }));
    });
    const { open, turns } = takenUp(state);
    const told = observations['voices'] === undefined ? null : VoicesObservations.parse(observations['voices']);
    const isLive = isLiveStream(context.facts);
    const decided = turns && told ? turns.add(words, told.windows) : words.map((word) => ({ ...word, speaker: null }));
    // Nobody waits for the next voice: a live stream is cut in pauses.
    const spoken = isLive && turns && told ? [...decided, ...turns.rest()] : decided;
    const written = this.written(open, spoken, context);
    if (isLive && written.open && isOver(written.open, heard.end)) {
      written.segments.push(this.paragraph(written.open, context));
      written.open = null;
    }
    const segments = written.segments;
    for (const { start, end, text, confidence } of heard.translation) {
      segments.push(
        this.result('translation', { start, end }, context, said({ text, language: 'en', confidence, speaker: null })),
      );
    }
    let { silentSince } = state;
    if (tellsSilence) {
      const silence = this.silences(state, heard, voices);
      segments.push(
        ...silence.over.map((span) =>
          this.result('silence', span, context, { duration: round(span.end - span.start) }, 1),
        ),
      );
      silentSince = silence.since;
    }
    const stored = putDown(written.open, turns);
    return { state: { ...stored, silentSince, heardTo: heard.end }, segments: inOrder(segments) };
  }

  close({ silentSince, heardTo, ...state }: SpeechState, context: FoldContext): ClosedSource {
    const taken = takenUp(state);
    const { open, segments } = this.written(taken.open, taken.turns?.rest() ?? [], context);
    if (open) segments.push(this.paragraph(open, context));
    if (silentSince !== null && this.isLong({ start: silentSince, end: heardTo })) {
      const meta = { duration: round(heardTo - silentSince) };
      segments.push(this.result('silence', { start: silentSince, end: heardTo }, context, meta, 1));
    }
    return { segments: inOrder(segments), summaries: [] };
  }

  /** The paragraph that is being said. */
  open(state: SpeechState, context: FoldContext): OpenSegment[] {
    const { open } = takenUp(state);
    if (open === null) return [];
    const segment = this.paragraph(open, context);
    return segment.key === undefined ? [] : [{ ...segment, key: segment.key }];
  }

  /** Returns the paragraphs that end with these words, and the open one. */
  private written(
    before: OpenParagraph | null,
    spoken: readonly SpokenWord[],
    context: FoldContext,
  ): { open: OpenParagraph | null; segments: Segment[] } {
    const { format_paragraph: formats } = this.args;
    const bySentence = formats && isLiveStream(context.facts);
    const segments: Segment[] = [];
    let open = before;
    for (const said of spoken) {
      if (open && (bySentence ? endsSentenceBefore(open, said) : endsBefore(open, said, formats))) {
        segments.push(this.paragraph(open, context));
        open = null;
      }
      open = withWord(open, said);
      if (said.endsStretch && !formats) {
        segments.push(this.paragraph(open, context));
        open = null;
      }
    }
    return { open, segments };
  }

  /** Returns the spans of speech at the requested probability, including short pauses. */
  private voicesOf(observations: unknown): Span[] {
    const { first, percent } = VoiceActivityObservations.parse(observations);
    const spans: Span[] = [];
    for (const [i, likely] of percent.entries()) {
      if (likely < this.args.vad_threshold * 100) continue;
      const start = (first + i) * FRAME_SECONDS;
      const last = spans.at(-1);
      if (last && start - last.end <= this.args.merge_voice_gap_seconds) last.end = start + FRAME_SECONDS;
      else spans.push({ start, end: start + FRAME_SECONDS });
    }
    return spans;
  }

  /** Returns the silences that end in a unit, and the start of the one that continues. */
  private silences(state: SpeechState, { start, end }: Span, voices: readonly Span[]): { over: Span[]; since: number } {
    const over: Span[] = [];
    // Behind a gap (a range) silence starts anew.
    let since = state.heardTo === start || start === 0 ? (state.silentSince ?? start) : start;
    for (const voice of voices) {
      if (this.isLong({ start: since, end: voice.start })) over.push({ start: since, end: voice.start });
      since = voice.end;
    }
    return { over, since: Math.min(since, end) };
  }

  private isLong({ start, end }: Span): boolean {
    return end - start > Math.max(this.args.merge_voice_gap_seconds, FRAME_SECONDS);
  }

  private paragraph(paragraph: OpenParagraph, context: FoldContext): Segment {
    const { language, words } = paragraph;
    const span = {
      start: elementAt(words, 0).start,
      end: elementAt(words, -1).end,
    };
    const confidence = words.reduce((sum, { probability }) => sum + probability, 0) / words.length;
    const text = textOf(words);
    const meta: Record<string, Json> = {
      ...said({ text, language, confidence: round(confidence), speaker: nameOf(speakerOf(paragraph)) }),
      ...(this.args.enable_ner ? { entities: this.entitiesOf(text, language) } : {}),
      ...(this.args.word_level_timestamps ? {} : { words_hidden: true }),
      words: words.map((word) => ({
        text: word.text,
        time_start: word.start,
        time_end: word.end,
        confidence: word.probability,
      })),
    };
    const result = this.result('speech', span, context, meta);
    return isLiveStream(context.facts) ? { ...result, key: `speech ${span.start}` } : result;
  }

  private result(
    type: 'speech' | 'translation' | 'silence',
    { start, end }: Span,
    { sourceIndex, facts, frameAt }: FoldContext,
    meta: Record<string, Json>,
    confidence = Number(meta['confidence']),
  ): Segment {
    const [timeStart, timeEnd] = [round(start), round(Math.max(start, end))];
    const shownAt = (time: number): number | null => {
      if (facts.kind !== 'video') return null;
      const frame = frameAt?.(time) ?? Math.floor((time * facts.fps.num) / facts.fps.den + 1e-6);
      if (facts.live === true) return Math.max(0, frame);
      return Math.min(Math.max(0, frame), Math.max(0, facts.totalFrames - 1));
    };
    return {
      sourceIndex: sourceIndex ?? 0,
      frameStart: shownAt(timeStart),
      frameEnd: shownAt(timeEnd),
      timeStart,
      timeEnd,
      type,
      label: type,
      confidence,
      meta,
      detections: [],
      thumbnail: null,
      keyFrame: null,
    };
  }
}

function said({
  text,
  language,
  speaker,
  confidence,
}: {
  text: string;
  language: string;
  speaker: string | null;
  confidence: number;
}): Record<string, Json> {
  return { text, language, speaker, confidence };
}

function nameOf(speaker: number | null): string | null {
  return speaker === null ? null : `Speaker ${speaker}`;
}

function isIn({ start, end }: RecognisedWord, voices: readonly Span[]): boolean {
  return voices.some((voice) => start < voice.end && end > voice.start);
}

function inOrder(segments: Segment[]): Segment[] {
  return segments.sort((a, b) => a.timeEnd - b.timeEnd || a.timeStart - b.timeStart || (a.type < b.type ? -1 : 1));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
