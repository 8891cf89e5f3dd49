import { elementAt, GAP_SECONDS, type Json } from '@adit/contracts';
import { appendMark, emptyMarks, joinMarks } from './thinning.js';
import type { Mark, Thinned } from './thinning.js';

/**
 * A sampled frame: its number in the source, its seconds, and the number of samples before it. `gap`: seconds after it
 * that do not split a segment, where that is more than GAP_SECONDS.
 */
export type Instant = { frame: number; time: number; sample: number; gap?: number };

/** A thing seen from `start` to `end` without a gap that splits. JSON, so that a fold can keep it in its state. */
export type Interval<Extra extends Json> = {
  /** Identity of the thing; touching intervals of one key are joined. */
  key: string;
  start: Instant;
  end: Instant;
  marks: Thinned;
  extra: Extra;
};

/** Most detections per segment. */
export const MAX_DETECTIONS = 1000;
/** Times are sums of fractions: 2.0 s may be 2.0000000001. */
const TIME_EPSILON = 1e-6;

/** True when a thing last seen at `end` and again at `start` counts as present in between. */
export function bridges(end: Instant, start: Instant): boolean {
  return start.time - end.time <= gapBehind(end) + TIME_EPSILON;
}

/** True when nothing seen after `horizon`, the last sample, can extend what ended at `end`. */
export function isFinal(end: Instant, horizon: Instant): boolean {
  return horizon.time - end.time >= gapBehind(end) - TIME_EPSILON;
}

function gapBehind({ gap = GAP_SECONDS }: Instant): number {
  return gap;
}

/**
 * Returns the instants of a unit's sampled frames by frame number, counted on from `before`, the source's samples so
 * far; `gap` is that of the source (`gapOfMedia`).
 */
export function instantsOf(
  sampled: readonly { frame: number; time: number }[],
  before: number,
  gap = GAP_SECONDS,
): Map<number, Instant> {
  const frames = [...new Map(sampled.map(({ frame, time }) => [frame, time]))].sort(([a], [b]) => a - b);
  const wide = gap > GAP_SECONDS ? { gap } : {};
  return new Map(frames.map(([frame, time], index) => [frame, { frame, time, sample: before + index, ...wide }]));
}

/** Returns one appearance in one sampled frame, as an interval. */
export function appearance<Extra extends Json>(key: string, at: Instant, marks: Mark[], extra: Extra): Interval<Extra> {
  const thinned = emptyMarks();
  for (const mark of marks) appendMark(thinned, mark, MAX_DETECTIONS);
  return { key, start: at, end: at, marks: thinned, extra };
}

/**
 * Adds an interval to the open ones, in place: every open one of its key that overlaps it, or lies within a gap that
 * does not split, is merged with it. The result does not depend on the order of adding.
 */
export function addInterval<Extra extends Json>(
  open: Interval<Extra>[],
  added: Interval<Extra>,
  merge: (earlier: Extra, later: Extra) => Extra,
): void {
  let whole = added;
  for (let index = open.length - 1; index >= 0; index -= 1) {
    const other = elementAt(open, index);
    if (other.key !== added.key || !touches(other, whole)) continue;
    open.splice(index, 1);
    whole = isBefore(other, whole) ? union(other, whole, merge) : union(whole, other, merge);
    // The grown interval may now reach ones already passed.
    index = open.length;
  }
  open.push(whole);
}

/**
 * Removes and returns the intervals that nothing after `horizon` can extend, in the order of emission: by end, start,
 * key. `mayGrow` keeps one open whose continuation is in progress but not yet named.
 */
export function takeFinal<Extra extends Json>(
  open: Interval<Extra>[],
  horizon: Instant,
  mayGrow: (interval: Interval<Extra>) => boolean = () => false,
): Interval<Extra>[] {
  const final = open.filter((interval) => isFinal(interval.end, horizon) && !mayGrow(interval));
  const taken = new Set(final);
  open.splice(0, open.length, ...open.filter((interval) => !taken.has(interval)));
  return final.sort(inOrderOfEmission);
}

/** Removes and returns everything, in the order of emission; after the last unit. */
export function takeAll<Extra extends Json>(open: Interval<Extra>[]): Interval<Extra>[] {
  return open.splice(0, open.length).sort(inOrderOfEmission);
}

export function inOrderOfEmission(
  a: Pick<Interval<Json>, 'key' | 'start' | 'end'>,
  b: Pick<Interval<Json>, 'key' | 'start' | 'end'>,
): number {
  return a.end.sample - b.end.sample || a.start.sample - b.start.sample || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

function touches(a: Interval<Json>, b: Interval<Json>): boolean {
  return bridges(a.end, b.start) && bridges(b.end, a.start);
}

function isBefore(a: Interval<Json>, b: Interval<Json>): boolean {
  return a.start.sample < b.start.sample || (a.start.sample === b.start.sample && a.end.sample <= b.end.sample);
}

function union<Extra extends Json>(
  earlier: Interval<Extra>,
  later: Interval<Extra>,
  merge: (earlier: Extra, later: Extra) => Extra,
): Interval<Extra> {
  return {
    key: earlier.key,
    start: earlier.start,
    end: later.end.sample > earlier.end.sample ? later.end : earlier.end,
    marks: joinMarks(earlier.marks, later.marks, MAX_DETECTIONS),
    extra: merge(earlier.extra, later.extra),
  };
}
