import { elementAt } from '@adit/contracts';
import { arrange, endsClause, endsSentence, LINE, type Arrangement } from './cue-lines.js';
import type { SpokenParagraph, Transcript } from './transcript.js';
import { timedTokens, type TimedToken } from './word-times.js';

/** Words shown together. Milliseconds from the start of the source. */
export interface Cue {
  start: number;
  end: number;
  speaker: string | null;
  /** One or two, of at most as many characters as was asked for. */
  lines: TimedToken[][];
}

const MIN_MS = 1_000;
const MAX_MS = 7_000;
const CHARACTERS_PER_SECOND = 17;
/** No cue waits through a longer silence. */
const PAUSE_SECONDS = 1.5;
/** Delay that a cue may have so that the one before it can be read; then that one is shown more shortly. */
const LATEST_MS = 2_000;
/** Words that are laid out together at the most. */
const TOKENS_PER_STEP = 2_000;

/**
 * Subtitles of a transcript, in order and without overlap: at most two lines of `line` characters, 1 to 7 s, 17 characters a
 * second as far as the voice leaves time. No word is left out; one longer than a line goes on in the next. The rules are those
 * of the BBC's and Netflix's guides to timed text.
 */
export async function* cuesOf(paragraphs: Transcript['paragraphs'], line: number = LINE): AsyncGenerator<Cue> {
  let end = 0;
  let last: Draft | null = null;
  for await (const draft of draftsOf(paragraphs, line)) {
    if (last !== null) {
      const cue = shown(last, end, draft.start);
      end = cue.end;
      yield cue;
    }
    last = draft;
  }
  if (last !== null) yield shown(last, end, Infinity);
}

/** A cue as long as its words are said. */
type Draft = Cue & { characters: number };

/** Time that a cue stays: after the end of the one before it, and until the next has to begin. */
function shown({ characters, ...cue }: Draft, earliest: number, next: number): Cue {
  const start = Math.max(cue.start, earliest);
  const read = Math.max(MIN_MS, Math.ceil((characters / CHARACTERS_PER_SECOND) * 1_000));
  const wanted = Math.min(Math.max(cue.end, start + read), start + MAX_MS);
  const least = start + (start - cue.start < LATEST_MS ? MIN_MS : 1);
  return { ...cue, start, end: Math.max(least, Math.min(wanted, next)) };
}

async function* draftsOf(paragraphs: Transcript['paragraphs'], line: number): AsyncGenerator<Draft> {
  for await (const { speaker, tokens, next } of runsOf(paragraphs, line)) {
    for (const [from, to] of bestCuts({ tokens, next }, line)) {
      const part = tokens.slice(from, to);
      const { lines, characters } = lined(part, line);
      yield {
        start: Math.round(elementAt(part, 0).time_start * 1_000),
        end: Math.round(elementAt(part, -1).time_end * 1_000),
        speaker,
        lines,
        characters,
      };
    }
  }
}

function lined(part: TimedToken[], line: number): { lines: TimedToken[][]; characters: number } {
  const { breakAt, characters } = arrange(part, line) ?? { breakAt: part.length, characters: 0 };
  const lines = [part.slice(0, breakAt), part.slice(breakAt)].filter(({ length }) => length > 0);
  return { lines, characters };
}

/** Words of one speaker without a long pause, whichever paragraphs they are in. */
interface Run {
  speaker: string | null;
  tokens: TimedToken[];
  /** When somebody speaks again, in seconds. */
  next: number;
}

async function* runsOf(paragraphs: Transcript['paragraphs'], line: number): AsyncGenerator<Run> {
  let run: Run | null = null;
  for await (const paragraph of paragraphs) {
    for (const token of piecesOf(paragraph, line)) {
      const before = run?.tokens.at(-1);
      const goesOn =
        run !== null &&
        before !== undefined &&
        run.speaker === paragraph.speaker &&
        run.tokens.length < TOKENS_PER_STEP &&
        token.time_start >= before.time_start &&
        token.time_start - before.time_end <= PAUSE_SECONDS;
      if (run !== null && goesOn) run.tokens.push(token);
      else {
        if (run !== null) yield { ...run, next: token.time_start };
        run = { speaker: paragraph.speaker, tokens: [token], next: Infinity };
      }
    }
  }
  if (run !== null) yield run;
}

/** Words, those that are longer than a line in pieces that share their time. */
function* piecesOf(paragraph: SpokenParagraph, line: number): Generator<TimedToken> {
  for (const token of timedTokens(paragraph)) {
    if (token.length <= line) {
      yield token;
      continue;
    }
    const characters = [...token.text];
    const seconds = (token.time_end - token.time_start) / characters.length;
    for (let at = 0; at < characters.length; at += line) {
      const end = Math.min(at + line, characters.length);
      yield {
        ...token,
        text: characters.slice(at, end).join(''),
        length: end - at,
        glued: token.glued || at > 0,
        time_start: token.time_start + at * seconds,
        time_end: token.time_start + end * seconds,
      };
    }
  }
}

/** Returns the cuts of a run into cues at the least total cost. */
function bestCuts({ tokens, next }: Pick<Run, 'tokens' | 'next'>, line: number): [from: number, to: number][] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= tokens.length; to += 1) {
    let found = { cost: Infinity, from: to - 1 };
    for (let from = to - 1; from >= 0; from -= 1) {
      const part = tokens.slice(from, to);
      const arrangement = arrange(part, line);
      const [first, last] = [elementAt(part, 0), elementAt(part, -1)];
      const single = to - from === 1;
      if (!single && (arrangement === null || last.time_end - first.time_start > MAX_MS / 1_000)) break;
      const until = tokens[to]?.time_start ?? next;
      const cost =
        elementAt(best, from).cost + 1 + cutCost(last, tokens[to]) + timeCost(arrangement, { first, last, until });
      if (cost < found.cost) found = { cost, from };
    }
    best.push(found);
  }
  const cuts: [number, number][] = [];
  for (let to = tokens.length; to > 0; to = elementAt(best, to).from) cuts.push([elementAt(best, to).from, to]);
  return cuts.reverse();
}

/** A cut is best where a sentence ends, then where a part of one does, or where the voice rests. */
function cutCost(last: TimedToken, next: TimedToken | undefined): number {
  if (next === undefined || endsSentence(last.text)) return 0;
  if (endsClause(last.text)) return 0.3;
  return next.time_start - last.time_end >= 0.4 ? 0.2 : 0.8;
}

/** Cost of a cue that is too short, or too fast to be read. */
function timeCost(
  arrangement: Arrangement | null,
  { first, last, until }: { first: TimedToken; last: TimedToken; until: number },
): number {
  const characters = arrangement?.characters ?? 0;
  const wanted = Math.max(MIN_MS / 1_000, characters / CHARACTERS_PER_SECOND);
  const seconds = Math.max(last.time_end - first.time_start, Math.min(until - first.time_start, wanted), 0.001);
  const tooShort = Math.max(0, 1 - seconds / (MIN_MS / 1_000));
  const tooFast = Math.max(0, characters / seconds / CHARACTERS_PER_SECOND - 1);
  return 4 * tooShort + 2 * Math.min(tooFast, 2);
}
