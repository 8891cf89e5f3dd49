import { elementAt, type Rational } from '@adit/contracts';
import type { FrameIndex } from './frame-index.js';
import { parseRational, reduced, type ProbedStream } from '../ffmpeg/stream-facts.js';

/** Share of frames that has to lie on one grid of equal distances for the film to have that rate. */
const GRID_SHARE = 0.9;
/** Distances of this many usual ones are jumps of the clock, which are no evidence of the rate. */
const JUMP = 8;

/** Returns the median distance of neighbouring frames in ticks; 0 for fewer than two. */
export function medianStep(pts: Float64Array): number {
  if (pts.length < 2) return 0;
  const steps = stepsOf(pts).sort();
  return elementAt(steps, steps.length >> 1);
}

/** Returns the distances of neighbours, one less than there are frames. */
function stepsOf(pts: Float64Array): Float64Array {
  let [before = 0] = pts;
  return pts.subarray(1).map((at) => {
    const step = at - before;
    before = at;
    return step;
  });
}

/**
 * Returns the frame rate: that of the usual distance of frames, whatever is missing between them and however often the
 * clock jumps; the average where there is no usual one. The container's rate is used when the frames confirm it, since
 * it is exact (30000/1001).
 */
export function frameRate(stream: ProbedStream, index: FrameIndex): Rational {
  const { num, den } = index.timeBase;
  const stated = [stream.r_frame_rate, stream.avg_frame_rate].map(parseRational).filter((rate) => rate !== null);
  const { ticks, count } = usualStep(index);
  if (count === 0) return stated[0] ?? { num: 1, den: 1 };
  const seconds = (ticks * num) / den / count;
  for (const rate of stated) {
    const off = Math.abs((seconds * rate.num) / rate.den - 1);
    // Both ends of the measurement are rounded to the clock's ticks.
    if (off <= Math.min(0.0004 + rounding(index.timeBase) / seconds / count, 0.05)) return rate;
  }
  return reduced(count * den, ticks * num);
}

/**
 * Tests whether frame numbers do not tell the time: more than 1 % of the distances are off the median by a tick and a
 * tenth, or a frame lies half a frame or more from where its number says, as behind a gap.
 */
export function isVariable(index: FrameIndex, fps: Rational): boolean {
  const { pts, timeBase } = index;
  const step = medianStep(pts);
  if (step === 0) return false;
  // Coarse clocks (milliseconds) round each time, which is no variation.
  const tolerance = Math.max((rounding(timeBase) * timeBase.den) / timeBase.num, step * 0.1);
  const frameTicks = (fps.den * timeBase.den) / (fps.num * timeBase.num);
  const furthest = Math.max(frameTicks / 2, tolerance);
  let off = 0;
  let [before = 0] = pts;
  for (const [i, at] of pts.entries()) {
    if (i === 0) continue;
    if (Math.abs(at - index.startPts - i * frameTicks) >= furthest) return true;
    if (Math.abs(at - before - step) > tolerance) off++;
    before = at;
  }
  return off > Math.max(pts.length * 0.01, 1);
}

/** Returns the ticks and number of frames at their usual distance. */
function usualStep(index: FrameIndex): { ticks: number; count: number } {
  const { pts, timeBase } = index;
  const median = medianStep(pts);
  if (median === 0) return { ticks: 0, count: 0 };
  const tolerance = Math.max((rounding(timeBase) * timeBase.den) / timeBase.num, median * 0.1);
  const usual = { ticks: 0, count: 0 };
  const steady = { ticks: 0, count: 0 };
  let onGrid = 0;
  for (const step of stepsOf(pts)) {
    const multiple = Math.max(Math.round(step / median), 1);
    if (Math.abs(step - multiple * median) <= tolerance * multiple) onGrid++;
    if (Math.abs(step - median) <= tolerance) add(usual, step);
    if (multiple < JUMP) add(steady, step);
  }
  return onGrid >= (pts.length - 1) * GRID_SHARE ? usual : steady;
}

function add(sum: { ticks: number; count: number }, ticks: number): void {
  sum.ticks += ticks;
  sum.count++;
}

/** Returns the seconds by which a frame's time may be rounded. */
function rounding({ num, den }: Rational): number {
  return Math.max(num / den, 0.0011);
}
