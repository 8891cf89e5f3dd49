import type { Segment } from './segments.js';

/** All appearances of one label, a row of the timeline. */
export interface Lane {
  module: string;
  label: string;
  /** In order of their starts. */
  segments: Segment[];
  /** For each segment the latest end of those up to it: where a search for what is visible may begin. */
  latestEnds: number[];
  /** Seconds in all, overlaps counted twice. */
  total: number;
}

/** What people look for first; modules that are not named follow. */
const ORDER = ['face_recognition', 'object_recognition', 'speech_recognition', 'lower_third_recognition'];

/** Lanes by module; in a module what is seen longest comes first. */
export function lanesOf(segments: readonly Segment[]): Lane[] {
  const modules = new Map<string, Map<string, Segment[]>>();
  for (const segment of segments) {
    const labels = modules.get(segment.module) ?? new Map<string, Segment[]>();
    modules.set(segment.module, labels);
    const lane = labels.get(segment.label);
    if (lane === undefined) labels.set(segment.label, [segment]);
    else lane.push(segment);
  }
  const place = (module: string): number => (ORDER.includes(module) ? ORDER.indexOf(module) : ORDER.length);
  const ordered = [...modules].sort(([a], [b]) => place(a) - place(b));
  return ordered.flatMap(([module, labels]) =>
    [...labels].map(([label, found]) => laneOf(module, label, found)).sort((a, b) => b.total - a.total),
  );
}

function laneOf(module: string, label: string, found: Segment[]): Lane {
  const segments = found.sort((a, b) => a.start - b.start || a.end - b.end);
  const latestEnds: number[] = [];
  let latest = -Infinity;
  let total = 0;
  for (const { start, end } of segments) {
    latest = Math.max(latest, end);
    latestEnds.push(latest);
    total += end - start;
  }
  return { module, label, segments, latestEnds, total };
}

/** Index of the first segment that may reach beyond a time; the number of segments where none does. */
export function firstReaching({ latestEnds }: Lane, time: number): number {
  let low = 0;
  let high = latestEnds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((latestEnds[middle] ?? Infinity) >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The segment of a lane at a time; within `slack` seconds the nearest. */
export function segmentAt(lane: Lane, time: number, slack: number): Segment | null {
  let best: Segment | null = null;
  let least = Infinity;
  for (let at = firstReaching(lane, time - slack); at < lane.segments.length; at += 1) {
    const segment = lane.segments[at];
    if (segment === undefined || segment.start > time + slack) break;
    const distance = Math.max(segment.start - time, time - segment.end, 0);
    // Of several the one that began last lies on top.
    if (distance <= Math.min(least, slack)) [best, least] = [segment, distance];
  }
  return best;
}

/** The next start behind a time, or the one before it; null where there is none. */
export function neighbour(segments: readonly Segment[], time: number, direction: 1 | -1): Segment | null {
  const EDGE = 1e-3;
  let best: Segment | null = null;
  for (const segment of segments) {
    const isAhead = direction === 1 ? segment.start > time + EDGE : segment.start < time - EDGE;
    if (isAhead && (best === null || (segment.start - best.start) * direction < 0)) best = segment;
  }
  return best;
}
