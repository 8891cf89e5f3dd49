import type { FrameInterval, Unit } from '@adit/contracts';
import { GAP_SECONDS } from '@adit/module-kit';
import type { Instant } from '@adit/module-kit';

/**
 * How long each sample stands for what it shows: until the next one, or until what was looked at ends. So no time of what
 * was looked at is missing, none counts twice, and none lies beyond it. JSON.
 */
export type Stays = {
  /** Until when, in seconds, by number of the sample; those that somebody may still ask for. */
  until: Record<number, number>;
  /** What was looked at so far, in seconds. */
  looked: number;
  /** The last sample of the unit before, and the tick at which that unit ended. */
  last: { sample: number; end: number } | null;
};

/** No chunk is longer, in seconds: frames further apart are on both sides of a jump of the clock, which nobody sees. */
const LONGEST_SECONDS = 30;

export const NO_STAYS: Stays = { until: {}, looked: 0, last: null };

/** The stays after one more unit with these samples in order. */
export function withUnit(stays: Stays, { facts, ...extent }: Unit, instants: readonly Instant[]): Stays {
  const frames = extent.kind === 'video' ? extent.interval : null;
  const [first, last] = [instants[0], instants.at(-1)];
  const until = { ...stays.until };
  let { looked } = stays;
  const stated = endOf(facts, frames) ?? last?.time ?? 0;
  const shown = last === undefined ? stated : endOfFrames(facts, frames, last);
  const jumps = stated - shown > LONGEST_SECONDS;
  const end = jumps ? shown : stated;
  // The unit before ended where this one begins: its last sample stands up to the first one here, or through a unit that
  // is too short to have any. A longer one without was not seen.
  const { last: previous } = stays;
  const before = previous === null ? undefined : until[previous.sample];
  const goesOn = previous !== null && before !== undefined && previous.end === frames?.ptsStart;
  const next = first?.time ?? end;
  const bridged = goesOn && (first !== undefined || next - before <= GAP_SECONDS);
  if (bridged) {
    looked += Math.max(0, next - before);
    until[previous.sample] = Math.max(before, next);
  }
  for (const [index, { sample }] of instants.entries()) until[sample] = instants[index + 1]?.time ?? end;
  if (first !== undefined) looked += end - first.time;
  const sample = last?.sample ?? (bridged ? previous.sample : undefined);
  if (frames === null || sample === undefined || jumps) return { until, looked, last: null };
  return { until, looked, last: { sample, end: frames.ptsEnd } };
}

/** Only those of these samples, and of the last one, which the next unit may prolong. */
export function keepingStays(stays: Stays, samples: readonly number[]): Stays {
  const kept = [...samples, ...(stays.last === null ? [] : [stays.last.sample])];
  const known = kept.flatMap((sample) => {
    const until = stays.until[sample];
    return until === undefined ? [] : [[sample, until] as const];
  });
  return { ...stays, until: Object.fromEntries(known) };
}

/** When the frames from a sample to the unit's end have been shown at the film's rate, in seconds. */
function endOfFrames(facts: Unit['facts'], frames: FrameInterval | null, last: Instant): number {
  if (facts.kind !== 'video' || frames === null) return last.time;
  return last.time + ((frames.frameEnd - last.frame) * facts.fps.den) / facts.fps.num;
}

/** When a film's unit ends, in seconds from the film's first frame. */
function endOf(facts: Unit['facts'], frames: FrameInterval | null): number | null {
  if (facts.kind !== 'video' || frames === null) return null;
  return ((frames.ptsEnd - facts.startPts) * facts.timeBase.num) / facts.timeBase.den;
}
