import { AditError } from '../errors.js';

/**
 * Counting of frames (SMPTE ST 12-1). `nominal` is the frames a second of timecode has (30 for 29.97). Drop-frame
 * leaves out the first frame numbers of every minute but each tenth, so that the clock keeps up with real time.
 */
export interface TimecodeRate {
  nominal: number;
  dropFrame: boolean;
}

const SHAPE = /^(\d\d):([0-5]\d):([0-5]\d)([:;.])(\d{2,3})$/;

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
