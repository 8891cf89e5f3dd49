import type { Rational, TimecodeRate } from '@adit/contracts';

/** Time of a file: what its frames are counted at, and the number of the programme's first. */
export interface StlClock {
  /** Disk format code: 25 frames a second, or 30 (29.97). */
  format: 'STL25.01' | 'STL30.01';
  fps: Rational;
  counting: TimecodeRate;
  /** Frames since 00:00:00:00. */
  first: number;
}
