import { AditError } from '@adit/contracts';
import { backoffDelay, pause } from '@adit/runtime';
import type { LiveRun } from '../live-run.js';
import type { MediaPlaylist } from './media-playlist.js';

/** Waits before sound that broke off is opened again, beside its pictures. */
const AGAIN = { baseMs: 1000, maxMs: 30_000 };
/** Segments before the place of the pictures that reading begins at where only the distance to the end tells it. */
const MARGIN_SEGMENTS = 2;
const ROUGH_MILLISECONDS = 100;

/** Where the pictures of a stream are read. */
export interface PicturePlace {
  /** Wall clock in milliseconds since 1970, where it is stated. */
  statedTime: number | null;
  /** Seconds from there to the end of their list, as it was then, in milliseconds since 1970. */
  secondsFromEnd: number;
  at: number;
  /** Discontinuities before it. */
  discontinuity?: number | undefined;
}

/** Returns how many segments from the end of its list sound is read, to be heard from a place of the pictures on. */
export function soundStart(
  { segments }: MediaPlaylist,
  { statedTime, secondsFromEnd, at: then, discontinuity }: PicturePlace,
): number {
  if (statedTime !== null && segments.some((segment) => segment.statedTime !== null)) {
    const at = segments.findLastIndex((each) => (each.statedTime ?? Infinity) <= statedTime + ROUGH_MILLISECONDS);
    return segments.length - Math.max(at, 0);
  }
  const placeAt = (distance: number): number => {
    let seconds = 0;
    return segments.findLastIndex((each) => (seconds += each.seconds) >= distance);
  };
  // The list has grown since, or was late.
  const earliest = placeAt(secondsFromEnd + (Date.now() - then) / 1000) - MARGIN_SEGMENTS;
  const latest = placeAt(secondsFromEnd) + MARGIN_SEGMENTS;
  // What comes before a discontinuity belongs to other pictures. Far away, servers have counted otherwise.
  const same = segments.findIndex((each) => discontinuity !== undefined && each.discontinuity === discontinuity);
  const isNear = same >= earliest && same <= latest;
  return segments.length - Math.max(isNear ? same : earliest, 0);
}

/**
 * Reads sound beside pictures: where it breaks off it is opened again, at the place of these by then. Throws what no
 * other try can mend, and the signal's reason.
 *
 * @param open - reads it until it breaks off, from where the pictures are
 */
export async function* lastingSound(
  open: () => AsyncGenerator<LiveRun>,
  signal: AbortSignal,
): AsyncGenerator<LiveRun, void, undefined> {
  let failures = 0;
  let reason: string | null = null;
  for (;;) {
    try {
      for await (const run of open()) {
        yield { ...run, gap: run.gap ?? reason };
        failures = 0;
        reason = null;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AditError) || error.code !== 'SOURCE_UNAVAILABLE') throw error;
      reason = error.message;
    }
    await pause(backoffDelay(++failures, AGAIN), signal);
  }
}
