/** @needs time */
import { describe, expect, it } from '@jest/globals';
import { ClockDrift } from './clock-drift.js';

const FRAME_US = 40_000;

/** The same numbers for each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Case {
  seconds: number;
  /** Wall time for a time of the run, in microseconds. */
  wall: (runUs: number) => number;
  /** Delay of a frame on its way beside the usual jitter, in microseconds. */
  delay?: (runUs: number) => number;
}

/** Returns the largest error of the corrected times in milliseconds, from some second on, in one-second steps. */
function errors({ seconds, wall, delay = () => 0 }: Case): number[] {
  const [drift, next] = [new ClockDrift(), random(7)];
  const largest = Array.from({ length: seconds }, () => 0);
  let before = -1;
  for (let runUs = 0; runUs < seconds * 1e6; runUs += FRAME_US) {
    const jitter = -20_000 * Math.log(next());
    const arrived = (wall(runUs) + delay(runUs) + jitter) / 1000;
    const us = runUs + drift.correctionAt(runUs, arrived);
    expect(us).toBeGreaterThan(before);
    before = us;
    const at = Math.floor(runUs / 1e6);
    largest[at] = Math.max(largest[at]!, Math.abs(us - wall(runUs)) / 1000);
  }
  return largest;
}

describe('the clock of a camera', () => {
  it.each([100, -100])('that is off by %d ppm stays within a frame of the wall clock for an hour', (ppm) => {
    const largest = errors({ seconds: 3600, wall: (us) => us * (1 + ppm / 1e6) });
    expect(Math.max(...largest)).toBeLessThan(FRAME_US / 1000);
    // Without a correction it would be 360 ms.
    expect(largest.at(-1)).toBeLessThan(10);
  });

  it('is believed where the network delays everything for a minute', () => {
    const late = (us: number): boolean => us > 300e6 && us < 360e6;
    const largest = errors({ seconds: 900, wall: (us) => us, delay: (us) => (late(us) ? 600_000 : 0) });
    expect(Math.max(...largest)).toBeLessThan(FRAME_US / 1000);
  });

  it('that was set back by seconds is corrected within ten minutes, and times stay in order', () => {
    const largest = errors({ seconds: 1200, wall: (us) => (us < 300e6 ? us : us + 5e6) });
    expect(largest[310]).toBeGreaterThan(4900);
    expect(Math.max(...largest.slice(960))).toBeLessThan(60);
  });
});
