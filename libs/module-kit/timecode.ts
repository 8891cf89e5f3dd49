import { AditError } from '@adit/contracts';
import type { MediaFacts, Rational, VideoFacts } from '@adit/contracts';

/**
 * How frames are counted (SMPTE ST 12-1). `nominal` is the frames a second of timecode has (30 for 29.97); drop-frame
 * leaves out the first frame numbers of every minute but each tenth, so that the clock keeps up with real time.
 */
export interface TimecodeRate {
  nominal: number;
  dropFrame: boolean;
}

const SHAPE = /^(\d\d):([0-5]\d):([0-5]\d)([:;.])(\d{2,3})$/;

/** 29.97 and 59.94 are the rates ST 12 defines drop-frame counting for; containers state them with rounding errors. */
function allowsDropFrame(fps: Rational): boolean {
  const rate = fps.num / fps.den;
  return Math.abs(rate - 30_000 / 1001) < 0.005 || Math.abs(rate - 60_000 / 1001) < 0.005;
}

/** Frame numbers a drop-frame minute leaves out: 2 at 29.97, 4 at 59.94. */
function droppedPerMinute(rate: TimecodeRate): number {
  return rate.dropFrame ? Math.round(rate.nominal / 15) : 0;
}

/** Frames in 24 h, after which the clock starts again. */
export function framesPerDay(rate: TimecodeRate): number {
  return rate.nominal * 86_400 - droppedPerMinute(rate) * (1440 - 144);
}

/** Frames since 00:00:00:00. Throws VALIDATION for a text that names no frame at this rate. */
export function parseTimecode(text: string, rate: TimecodeRate): number {
  const match = SHAPE.exec(text);
  if (match === null) throw new AditError('VALIDATION', `${text} is not a timecode; write HH:MM:SS:FF or HH:MM:SS;FF.`);
  const [hours = NaN, minutes = NaN, seconds = NaN, frames = NaN] = [1, 2, 3, 5].map((group) => Number(match[group]));
  if (hours > 23 || frames >= rate.nominal) {
    throw new AditError('VALIDATION', `${text} does not exist at ${rate.nominal} frames per second.`);
  }
  const dropped = droppedPerMinute(rate);
  if (seconds === 0 && frames < dropped && minutes % 10 !== 0) {
    throw new AditError('VALIDATION', `${text} is one of the frame numbers that drop-frame timecode leaves out.`);
  }
  const minutesSinceMidnight = hours * 60 + minutes;
  return (
    (minutesSinceMidnight * 60 + seconds) * rate.nominal +
    frames -
    dropped * (minutesSinceMidnight - Math.floor(minutesSinceMidnight / 10))
  );
}

/** `HH:MM:SS:FF`, or `HH:MM:SS;FF` in drop-frame, of a frame count (any integer); wraps at 24 h. */
export function formatTimecode(frameCount: number, rate: TimecodeRate): string {
  const day = framesPerDay(rate);
  const dropped = droppedPerMinute(rate);
  let count = ((frameCount % day) + day) % day;
  if (dropped > 0) {
    // Puts the left-out numbers back, so that plain division gives the fields.
    const perTenMinutes = rate.nominal * 600 - dropped * 9;
    const perMinute = rate.nominal * 60 - dropped;
    const tens = Math.floor(count / perTenMinutes);
    const rest = count % perTenMinutes;
    count += dropped * 9 * tens;
    if (rest >= rate.nominal * 60) count += dropped * (1 + Math.floor((rest - rate.nominal * 60) / perMinute));
  }
  const seconds = Math.floor(count / rate.nominal);
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':');
  const field = String(count % rate.nominal).padStart(rate.nominal > 100 ? 3 : 2, '0');
  return `${clock}${rate.dropFrame ? ';' : ':'}${field}`;
}

/** A rate to count at, and how fast numbers go by: 29.97 a second of 30 nominal. */
interface TimecodeClock extends TimecodeRate {
  perSecond: number;
  /** False when no whole number of frames makes a second, nearly: numbers go by the clock alone then. */
  countsFrames: boolean;
}

/** Fields of three digits are the longest there are. */
const HIGHEST_NOMINAL = 1000;
/** Rates that no timecode is defined for count several numbers a frame, up to these: 12.5 counts at 25. */
const HIGHEST_FRACTIONED = 60;
const MOST_NUMBERS_OF_A_FRAME = 60;

/**
 * How a film's timecode counts. A file's own start timecode says whether frame numbers are dropped; without one 29.97 and
 * 59.94 count in drop-frame.
 */
export function timecodeClockOf(
  facts: Pick<VideoFacts, 'fps' | 'startTimecode' | 'variableFrameRate' | 'timecodeRate'>,
): TimecodeClock {
  const rate = facts.timecodeRate ?? facts.fps;
  const perSecond = rate.num / rate.den;
  const drops = facts.startTimecode === null || /[;.]/.test(facts.startTimecode);
  const dropFrame = drops && allowsDropFrame(rate);
  for (let each = 1; each <= (facts.variableFrameRate ? 1 : MOST_NUMBERS_OF_A_FRAME); each++) {
    const numbers = perSecond * each;
    const nominal = Math.round(numbers);
    if (each > 1 && nominal > HIGHEST_FRACTIONED) break;
    // 23.976 counts as 24: a thousandth is how far NTSC's rates are off.
    if (nominal >= 1 && nominal <= HIGHEST_NOMINAL && Math.abs(numbers / nominal - 1) < 0.0015)
      return { nominal, dropFrame, perSecond: numbers, countsFrames: true };
  }
  const nominal = Math.min(Math.max(1, Math.round(perSecond)), HIGHEST_NOMINAL);
  return { nominal, dropFrame: false, perSecond: nominal, countsFrames: false };
}

/** A start timecode that does not exist at the film's rate is metadata gone wrong: counting starts at zero then. */
function startFrames(facts: VideoFacts, rate: TimecodeRate): number {
  if (facts.startTimecode === null) return 0;
  try {
    return parseTimecode(facts.startTimecode, rate);
  } catch {
    return 0;
  }
}

/** Of a number, by which a frame may come early: clocks round. */
const SLACK = 0.1;

/** Whether a frame, which may lie half of one from where its number says, is over: the last one is where sound outlasts pictures. */
function isBehind({ fps }: VideoFacts, frame: number, time: number): boolean {
  return (time * fps.num) / fps.den >= frame + 1.5;
}

/**
 * Timecode of a frame (counted from the source's start) shown at `time` (seconds from the source's start), the source's
 * own start added. A film whose frame numbers don't tell the time, sound, and what is heard
 * behind the last frame go by time; images and pages have 00:00:00:00.
 */
export function timecodeAt(facts: MediaFacts, frame: number | null, time: number): string {
  if (facts.kind === 'image' || facts.kind === 'pdf') return '00:00:00:00';
  if (facts.kind === 'audio') return formatTimecode(Math.floor(time * 25 + 1e-6), { nominal: 25, dropFrame: false });
  const clock = timecodeClockOf(facts);
  const byTime = facts.variableFrameRate || frame === null || !clock.countsFrames || isBehind(facts, frame, time);
  const numbers = byTime
    ? Math.floor(time * clock.perSecond + SLACK)
    : Math.floor((frame * clock.perSecond * facts.fps.den) / facts.fps.num + 1e-6);
  return formatTimecode(startFrames(facts, clock) + numbers, clock);
}
