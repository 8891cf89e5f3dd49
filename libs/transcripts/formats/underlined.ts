import type { Cue } from '../cues.js';

/** A cue, and which of its words is being said: its line and place; null for none. */
export interface Moment extends Cue {
  said: { line: number; word: number } | null;
}

/** A cue in moments: one for each word while it is said, and one for each pause between them. */
export function* momentsOf(cue: Cue): Generator<Moment> {
  let at = cue.start;
  for (const [line, words] of cue.lines.entries()) {
    for (const [word, { time_start: from, time_end: to }] of words.entries()) {
      const start = Math.min(Math.max(Math.round(from * 1_000), at), cue.end);
      const end = Math.min(Math.max(Math.round(to * 1_000), start), cue.end);
      if (start > at) yield { ...cue, start: at, end: start, said: null };
      if (end > start) yield { ...cue, start, end, said: { line, word } };
      at = end;
    }
  }
  if (at < cue.end) yield { ...cue, start: at, said: null };
}

export function* wholeCue(cue: Cue): Generator<Moment> {
  yield { ...cue, said: null };
}

/** The lines of a moment, each word as `written` puts it and the one that is said within `<u>`. */
export function linesOf({ lines, said }: Moment, written: (text: string) => string): string[] {
  return lines.map((words, line) =>
    words
      .map(({ text, glued }, word) => {
        const shown = said?.line === line && said.word === word ? `<u>${written(text)}</u>` : written(text);
        return (word === 0 || glued ? '' : ' ') + shown;
      })
      .join(''),
  );
}
