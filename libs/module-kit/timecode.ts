import { firstNumberOf, formatTimecode, timecodeClockOf } from '@adit/contracts';
import type { MediaFacts, VideoFacts } from '@adit/contracts';

export { formatTimecode, framesPerDay, parseTimecode, timecodeClockOf, type TimecodeRate } from '@adit/contracts';

/** Fraction of a number by which a frame may be early, since clocks round. */
const SLACK = 0.1;

/**
 * Tests whether a frame, which may lie half of one from where its number says, is over: the last one is where sound
 * outlasts pictures.
 */
function isBehind({ fps }: VideoFacts, frame: number, time: number): boolean {
  return (time * fps.num) / fps.den >= frame + 1.5;
}

/**
 * Returns the timecode of a frame (counted from the source's start) shown at `time` (seconds from the source's start),
 * including the source's own start. Films with variable frame distances, sound, and sound after the last frame use the
 * time; images and pages have 00:00:00:00.
 */
export function timecodeAt(facts: MediaFacts, frame: number | null, time: number): string {
  if (facts.kind === 'image' || facts.kind === 'pdf') return '00:00:00:00';
  if (facts.kind === 'audio') return formatTimecode(Math.floor(time * 25 + 1e-6), { nominal: 25, dropFrame: false });
  const clock = timecodeClockOf(facts);
  const byTime = facts.variableFrameRate || frame === null || !clock.countsFrames || isBehind(facts, frame, time);
  const numbers = byTime
    ? Math.floor(time * clock.perSecond + SLACK)
    : Math.floor((frame * clock.perSecond * facts.fps.den) / facts.fps.num + 1e-6);
  return formatTimecode(firstNumberOf(facts, clock) + numbers, clock);
}
