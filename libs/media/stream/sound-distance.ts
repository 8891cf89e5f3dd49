import type { LiveRun } from './live-run.js';

/** Seconds by which the stated times of sound and pictures may contradict those of their media. */
const SAME_SECONDS = 2;
/** Seconds between sound and pictures beyond which their clocks have nothing to do with each other. */
const FAR_SECONDS = 60;
/** The clock of MPEG-TS begins anew after 33 bits of 1/90000 s. */
const WRAP_SECONDS = 2 ** 33 / 90_000;

/** Times of a run: seconds on its own clock of what it begins with, and what tells them. */
export interface RunTimes extends Pick<LiveRun, 'statedTime' | 'clockOffset'> {
  start: number;
}

/**
 * Returns the seconds from the first picture of a run to the start of sound that comes apart from it: by the time of the
 * media, which both share as a rule; by the stated wall clocks where these contradict that. Null where neither tells it.
 *
 * @param seen - seconds from the first picture to the latest
 */
export function soundDistance(sound: RunTimes, pictures: RunTimes, seen: number): number | null {
  return distanceWithin(FAR_SECONDS, sound, pictures, seen);
}

/**
 * The same for a film, whose sound and pictures begin close to each other: stated times that are farther apart are not
 * believed. Zero where nothing tells it: both begin at once.
 */
export function filmDistance(sound: RunTimes, pictures: RunTimes): number {
  const distance = soundDistance(sound, pictures, 0) ?? 0;
  if (Math.abs(distance) <= FAR_SECONDS) return distance;
  return soundDistance({ ...sound, statedTime: null }, pictures, 0) ?? 0;
}

/**
 * The same for sound that begins anew where nothing is missing, as behind a discontinuity: it goes on where the sound
 * before it ended. Null where it does not: then it belongs to the pictures behind the discontinuity.
 *
 * @param heard - seconds from the first picture to the end of the sound before
 */
export function nextDistance(sound: RunTimes, pictures: RunTimes, heard: number): number | null {
  return distanceWithin(SAME_SECONDS, sound, pictures, heard);
}

function distanceWithin(most: number, sound: RunTimes, pictures: RunTimes, expected: number): number | null {
  const shared = (run: RunTimes): number => run.start - (run.clockOffset ?? 0);
  const apart = shared(sound) - shared(pictures);
  const byMedia = apart - Math.round((apart - expected) / WRAP_SECONDS) * WRAP_SECONDS;
  if (sound.statedTime === null || pictures.statedTime === null) {
    return Math.abs(byMedia - expected) <= most ? byMedia : null;
  }
  const stated = (sound.statedTime - pictures.statedTime) / 1000;
  return Math.abs(stated - byMedia) <= SAME_SECONDS ? byMedia : stated;
}
