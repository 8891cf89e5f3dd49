/** Seconds per frame of the voice detector, and the thresholds of a voice. */
const FRAME = 0.032;
const LIKELY = 0.5;
/** A voice continues until its probability falls below this. */
const UNLIKELY = 0.35;
const MIN_VOICE_SECONDS = 0.1;
const PAUSE = 0.3;
const MARGIN = 0.2;

export interface Span {
  start: number;
  end: number;
}

/**
 * Returns the spans of speech, from likely to unlikely frames, including short pauses, with a margin; `first` is the
 * first frame's number.
 */
export function voicesOf(likely: readonly number[], first: number, within: Span): Span[] {
  const spans: Span[] = [];
  let start: number | null = null;
  let quiet: number | null = null;
  const close = (end: number): void => {
    if (start !== null && end - start >= MIN_VOICE_SECONDS) spans.push({ start, end });
    start = quiet = null;
  };
  for (const [i, value] of likely.entries()) {
    const at = (first + i) * FRAME;
    if (value >= LIKELY) {
      start ??= at;
      quiet = null;
    } else if (start !== null && value < UNLIKELY) {
      quiet ??= at;
      if (at - quiet >= PAUSE) close(quiet);
    }
  }
  close(quiet ?? within.end);
  return spans.map(({ start, end }, i) => {
    const [left, right] = [spans[i - 1], spans[i + 1]];
    const before = left === undefined ? within.start : (left.end + start) / 2;
    const after = right === undefined ? within.end : (end + right.start) / 2;
    return { start: Math.max(before, start - MARGIN), end: Math.min(after, end + MARGIN) };
  });
}

/** Tests whether a span touches any of the spans, each widened by `slack`. */
export function touches({ start, end }: Span, spans: readonly Span[], slack: number): boolean {
  return spans.some((span) => start < span.end + slack && end > span.start - slack);
}
