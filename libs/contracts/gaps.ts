import type { MediaFacts, Rational } from './media.js';

/** A gap of up to this many seconds, in which somebody turns away or a shot shows somebody else … */
export const GAP_SECONDS = 2.0;
/** … or this many sampling periods, whichever is longer, does not split a segment. It is measured in time. */
const GAP_PERIODS = 2;
/** Clocks that count in milliseconds round the times of pictures; a hundredth is more than that. */
const ROUNDED_PERIODS = GAP_PERIODS * 1.01;

/** Seconds that do not split a segment of a film of that many frames a second, of which `rate` are looked at. */
export function gapOf(fps: Rational, rate = Infinity): number {
  const period = Math.max(1 / rate, fps.den / fps.num);
  return Math.max(GAP_SECONDS, period * ROUNDED_PERIODS);
}

/** The same of any source; pictures follow each other in no time. */
export function gapOfMedia(facts: MediaFacts, rate?: number): number {
  return facts.kind === 'video' ? gapOf(facts.fps, rate) : GAP_SECONDS;
}
