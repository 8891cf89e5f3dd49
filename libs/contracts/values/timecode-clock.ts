import type { Rational, VideoFacts } from '../media.js';
import { parseTimecode, type TimecodeRate } from './timecode.js';

/** 29.97 and 59.94 are the rates ST 12 defines drop-frame counting for; containers state them with rounding errors. */
function allowsDropFrame(fps: Rational): boolean {
  const rate = fps.num / fps.den;
  return Math.abs(rate - 30_000 / 1001) < 0.005 || Math.abs(rate - 60_000 / 1001) < 0.005;
}

/** A rate to count at, and how fast numbers go by: 29.97 a second of 30 nominal. */
export interface TimecodeClock extends TimecodeRate {
  perSecond: number;
  /** False when no whole number of frames makes a second, nearly: numbers go by the clock alone then. */
  countsFrames: boolean;
}

/** Fields of three digits are the longest there are. */
const MAX_NOMINAL = 1000;
/** Rates that no timecode is defined for count several numbers a frame, up to these: 12.5 counts at 25. */
const MAX_FRACTIONED = 60;
const MAX_NUMBERS_PER_FRAME = 60;

/**
 * Returns the counting of a film's timecode. A file's own start timecode says whether frame numbers are dropped;
 * without one 29.97 and 59.94 count in drop-frame.
 */
export function timecodeClockOf(
  facts: Pick<VideoFacts, 'fps' | 'startTimecode' | 'variableFrameRate' | 'timecodeRate'>,
): TimecodeClock {
  const rate = facts.timecodeRate ?? facts.fps;
  const perSecond = rate.num / rate.den;
  const drops = facts.startTimecode === null || /[;.]/.test(facts.startTimecode);
  const dropFrame = drops && allowsDropFrame(rate);
  for (let each = 1; each <= (facts.variableFrameRate ? 1 : MAX_NUMBERS_PER_FRAME); each++) {
    const numbers = perSecond * each;
    const nominal = Math.round(numbers);
    if (each > 1 && nominal > MAX_FRACTIONED) break;
    // 23.976 counts as 24: a thousandth is how far NTSC's rates are off.
    if (nominal >= 1 && nominal <= MAX_NOMINAL && Math.abs(numbers / nominal - 1) < 0.0015)
      return { nominal, dropFrame, perSecond: numbers, countsFrames: true };
  }
  const nominal = Math.min(Math.max(1, Math.round(perSecond)), MAX_NOMINAL);
  return { nominal, dropFrame: false, perSecond: nominal, countsFrames: false };
}

/**
 * Numbers since 00:00:00:00 of a film's first frame. A start timecode that does not exist at the rate is metadata gone wrong: counting
 * starts at zero then.
 */
export function firstNumberOf({ startTimecode }: Pick<VideoFacts, 'startTimecode'>, rate: TimecodeRate): number {
  if (startTimecode === null) return 0;
  try {
    return parseTimecode(startTimecode, rate);
  } catch {
    return 0;
  }
}
