import type { Rational, TimecodeRate } from '@adit/contracts';

/** A frame rate that editing programs know: `fps` frames a second, counted by timecode as ST 12-1 says. */
export interface EditRate extends TimecodeRate {
  fps: Rational;
}

const NTSC = 1001;

/** Frames a second, `den` 1 or 1001, and whether drop-frame counting is defined for it. */
const KNOWN: readonly { fps: Rational; drops: boolean }[] = [
  { fps: { num: 24_000, den: NTSC }, drops: false },
  { fps: { num: 24, den: 1 }, drops: false },
  { fps: { num: 25, den: 1 }, drops: false },
  { fps: { num: 30_000, den: NTSC }, drops: true },
  { fps: { num: 30, den: 1 }, drops: false },
  { fps: { num: 48_000, den: NTSC }, drops: false },
  { fps: { num: 48, den: 1 }, drops: false },
  { fps: { num: 50, den: 1 }, drops: false },
  { fps: { num: 60_000, den: NTSC }, drops: true },
  { fps: { num: 60, den: 1 }, drops: false },
];

/** Containers state rates with rounding errors; 24 and 23.976 are 0.1 % apart. */
const SAME = 0.0003;

function ratio({ num, den }: Rational): number {
  return num / den;
}

/** The rate that editing programs know for a film's; null for one that none of them does, such as 12.5. */
export function knownRate(fps: Rational, dropFrame: boolean): EditRate | null {
  const known = KNOWN.find((each) => Math.abs(ratio(each.fps) / ratio(fps) - 1) < SAME);
  return known === undefined ? null : editRate(known, dropFrame);
}

/**
 * The rate at which time is cut where frames do not tell it: the lowest that editing programs know with no fewer frames a second,
 * and the highest for what is faster still.
 */
export function rateForTime(fps: Rational): EditRate {
  const [highest] = KNOWN.slice(-1);
  const fits = KNOWN.find((each) => ratio(each.fps) >= ratio(fps) * (1 - SAME)) ?? highest;
  if (fits === undefined) throw new RangeError('There are no rates.');
  return editRate(fits, false);
}

function editRate({ fps, drops }: (typeof KNOWN)[number], dropFrame: boolean): EditRate {
  return { fps, nominal: Math.round(ratio(fps)), dropFrame: dropFrame && drops };
}

export function isSameRate(a: EditRate, b: EditRate): boolean {
  return a.fps.num === b.fps.num && a.fps.den === b.fps.den && a.dropFrame === b.dropFrame;
}

/** E.g. `29.97 drop-frame`. */
export function rateName({ fps, dropFrame }: EditRate): string {
  return `${Number((fps.num / fps.den).toFixed(3))}${dropFrame ? ' drop-frame' : ''}`;
}

/** Seconds as frames at a rate; floats that are a hair below a whole frame count as that. */
export function framesAt(seconds: number, { fps }: EditRate, round: 'down' | 'up'): number {
  const frames = (seconds * fps.num) / fps.den;
  return round === 'down' ? Math.floor(frames + 1e-6) : Math.ceil(frames - 1e-6);
}

/** The rate of a list that has no source. */
export const FALLBACK_RATE = rateForTime({ num: 25, den: 1 });
