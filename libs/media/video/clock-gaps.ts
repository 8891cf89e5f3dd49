import { type ClockGaps, gapOf, MAX_GAPS, type Rational } from '@adit/contracts';
import type { FrameIndex } from './frame-index.js';

/** Returns the gaps of a film's clock that are too long for a segment to bridge; null when there is none. */
export function clockGaps(index: FrameIndex, fps: Rational): ClockGaps | null {
  const [most, step] = [gapOf(fps), fps.den / fps.num];
  const gaps: { from: number; to: number }[] = [];
  let [count, seconds] = [0, 0];
  let before = 0;
  for (const pts of index.pts) {
    const to = index.seconds(pts);
    if (to - before > most) {
      const from = before + step;
      count += 1;
      seconds += to - from;
      gaps.push({ from: milliseconds(from), to: milliseconds(to) });
      // A film of single pictures has millions of gaps.
      if (gaps.length > 2 * MAX_GAPS) keepLongest(gaps);
    }
    before = to;
  }
  if (count === 0) return null;
  keepLongest(gaps);
  return { count, seconds: milliseconds(seconds), longest: gaps };
}

/** Keeps the longest gaps in the order of time; of equally long ones the first stay. */
function keepLongest(gaps: { from: number; to: number }[]): void {
  const byLength = gaps.map((gap, place) => ({ ...gap, place })).sort((a, b) => b.to - b.from - (a.to - a.from));
  const kept = byLength.slice(0, MAX_GAPS).sort((a, b) => a.place - b.place);
  gaps.splice(0, gaps.length, ...kept.map(({ from, to }) => ({ from, to })));
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
