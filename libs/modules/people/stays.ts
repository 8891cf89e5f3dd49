import { type FrameInterval, GAP_SECONDS, type Unit } from '@adit/contracts';
import type { Instant } from '@adit/module-kit';

/**
 * Duration that each sample represents: until the next one, or until the end of the analysed part; before a hole in the
 * film's clock, for the pictures up to it. So every analysed picture counts exactly once, and time without pictures
 * never. JSON.
 */
export type Stays = {
  /** End in seconds, by number of the sample; those that may still be needed. */
  until: Record<number, number>;
  /** Analysed seconds so far. */
  looked: number;
  /**
   * The last sample of the unit before, its time (missing in earlier versions), and the tick at which that unit ended.
   */
  last: { sample: number; time?: number; end: number } | null;
};

/** Times are sums of fractions. */
const TIME_EPSILON = 1e-6;

export const NO_STAYS: Stays = { until: {}, looked: 0, last: null };

/** Adds a unit with these samples in order; gaps longer than `gap` seconds do not count. */
export function withUnit(
  stays: Stays,
  { facts, ...extent }: Unit,
  instants: readonly Instant[],
  gap: number = GAP_SECONDS,
): Stays {
  const frames = extent.kind === 'video' ? extent.interval : null;
  const [first, last] = [instants[0], instants.at(-1)];
  const until = { ...stays.until };
  let { looked } = stays;
  const isHole = (from: number, to: number): boolean => to - from > gap + TIME_EPSILON;
  const end = endOf(facts, frames) ?? { time: last?.time ?? 0, frame: last?.frame ?? 0 };

  for (const [index, at] of instants.entries()) {
    const next = instants[index + 1] ?? end;
    const stays = isHole(at.time, next.time) ? Math.min(next.time, at.time + shown(facts, at, next)) : next.time;
    until[at.sample] = stays;
    looked += stays - at.time;
  }

  // The unit before ended where this one begins: its last sample represents the time up to the first one here, or
  // through a unit too short for any. A longer one without samples was not analysed.
  const { last: previous } = stays;
  const before = previous === null ? undefined : until[previous.sample];
  let goesOn = false;
  if (previous !== null && before !== undefined && frames !== null && previous.end === frames.ptsStart) {
    const next = first ?? end;
    const { time = before } = previous;
    goesOn = !isHole(time, next.time);
    const start = { frame: frames.frameStart };
    const stays = goesOn ? next.time : Math.min(next.time, before + shown(facts, start, next));
    if (!isHole(time, stays)) {
      looked += Math.max(0, stays - before);
      until[previous.sample] = Math.max(before, stays);
    }
  }
  const at = last ?? (goesOn ? previous : null);
  if (frames === null || at === null || (last !== undefined && isHole(last.time, end.time))) {
    return { until, looked, last: null };
  }
  return { until, looked, last: { sample: at.sample, time: at.time, end: frames.ptsEnd } };
}

/** Keeps those of these samples, and of the last one, which the next unit may extend. */
export function keepingStays(stays: Stays, samples: readonly number[]): Stays {
  const kept = [...samples, ...(stays.last === null ? [] : [stays.last.sample])];
  const known = kept.flatMap((sample) => {
    const until = stays.until[sample];
    return until === undefined ? [] : [[sample, until] as const];
  });
  return { ...stays, until: Object.fromEntries(known) };
}

/** Returns the seconds between two frames at the film's rate. */
function shown(facts: Unit['facts'], { frame: from }: { frame: number }, { frame: to }: { frame: number }): number {
  return facts.kind === 'video' ? ((to - from) * facts.fps.den) / facts.fps.num : 0;
}

/** Returns the end of a film's unit, in seconds from the film's first frame, and the frame that begins there. */
function endOf(facts: Unit['facts'], frames: FrameInterval | null): { time: number; frame: number } | null {
  if (facts.kind !== 'video' || frames === null) return null;
  const time = ((frames.ptsEnd - facts.startPts) * facts.timeBase.num) / facts.timeBase.den;
  return { time, frame: frames.frameEnd };
}
