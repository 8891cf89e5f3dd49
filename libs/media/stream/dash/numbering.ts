import type { Listed } from './listing.js';

/** Number of a stream's first segment: one that begins anew is numbered from 0, which is seen as less. */
const FIRST = 1_000_000;
/** Segments that a hole between two lists can have. */
const MAX_MISSING = 100_000;

/** A segment with its place among all of the stream. */
export interface Numbered extends Listed {
  number: number;
  /** It begins a period. */
  begins: boolean;
}

/**
 * Numbers the segments of a live stream throughout. The numbers of manifests begin anew in each period, and some
 * packagers count those that are left from 1 again.
 */
export class Numbering {
  /** Segments of the last list by their keys. */
  private known = new Map<string, number>();
  private periods = new Map<number, string>();
  private last: Numbered | null = null;

  /** Number that comes next. */
  get next(): number {
    return this.last === null ? FIRST : this.last.number + 1;
  }

  assign(listed: readonly Listed[]): Numbered[] {
    const first = this.firstNumber(listed);
    const before = this.periods.get(first - 1);
    const numbered = listed.map((segment, at): Numbered => {
      const previous = at === 0 ? before : listed[at - 1]?.period;
      return { ...segment, number: first + at, begins: previous !== undefined && previous !== segment.period };
    });
    this.last = numbered.at(-1) ?? this.last;
    if (numbered.length > 0) {
      this.known = new Map(numbered.map(({ key, number }) => [key, number]));
      this.periods = new Map(numbered.map(({ number, period }) => [number, period]));
    }
    return numbered;
  }

  private firstNumber(listed: readonly Listed[]): number {
    // The newest that is known: periods may have been put in before it.
    const at = listed.findLastIndex(({ key }) => this.known.has(key));
    const key = listed[at]?.key;
    if (key !== undefined) return (this.known.get(key) ?? FIRST) - at;
    const [first] = listed;
    const { last } = this;
    if (first === undefined || last === null) return this.next;
    const ahead = first.start - last.start - last.seconds;
    if (ahead < -last.seconds / 2) return 0;
    const missing = first.seconds > 0 ? Math.round(ahead / first.seconds) : 0;
    return last.number + 1 + Math.min(Math.max(missing, 0), MAX_MISSING);
  }
}
