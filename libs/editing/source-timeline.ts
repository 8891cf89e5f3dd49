import {
  AditError,
  firstNumberOf,
  parseTimecode,
  timecodeClockOf,
  type Conform,
  type MediaFacts,
  type Rational,
  type TimecodeRate,
  type VideoFacts,
} from '@adit/contracts';
import type { EditEvent, EditSource } from './edit-list.js';
import { framesAt, knownRate, rateForTime, rateName, type EditRate } from './edit-rate.js';

/** Rate of Adit's own timecode of sound. */
const SOUND_FPS: Rational = { num: 25, den: 1 };

/** Counting of a source's frames in an edit. */
export interface SourceTimeline extends Pick<EditSource, 'rate' | 'firstFrame' | 'length' | 'size' | 'hasSound'> {
  /** Tells whether a frame's number is that of the film; else events go by their times. */
  byFrames: boolean;
}

/**
 * The timeline of a film or recording; null for what has none, as pictures and documents. Films whose frames do not tell the
 * time, and rates that editing programs do not know, are cut by time. Timecode counts as that of results does, or as that of the
 * master that the job names.
 */
export function timelineOf(facts: MediaFacts, conform: Conform | null = null): SourceTimeline | null {
  const own = ownTimeline(facts);
  return own === null || conform?.start_timecode === undefined
    ? own
    : masterTimeline(own, facts, conform.start_timecode, conform.timecode_rate);
}

/**
 * The timeline by the timecode of a master. Of a rate of its own the source is cut by time. Throws VALIDATION for a timecode that
 * does not exist at the rate.
 */
function masterTimeline(
  own: SourceTimeline,
  facts: MediaFacts,
  start: string,
  asked: number | undefined,
): SourceTimeline {
  const dropFrame = start.includes(';');
  const rate = knownRate(asked === undefined ? own.rate.fps : { num: Math.round(asked * 1000), den: 1000 }, dropFrame);
  if (rate === null || rate.dropFrame !== dropFrame) {
    throw new AditError(
      'VALIDATION',
      `The job's start_timecode ${start} is drop-frame, which is not defined at ${rateName(own.rate)}.`,
    );
  }
  const firstFrame = parseTimecode(start, rate);
  const isSame = rate.fps.num === own.rate.fps.num && rate.fps.den === own.rate.fps.den;
  if (isSame) return { ...own, rate, firstFrame };
  const seconds = 'duration' in facts ? facts.duration : 0;
  return { ...own, rate, firstFrame, length: Math.max(1, framesAt(seconds, rate, 'up')), byFrames: false };
}

function ownTimeline(facts: MediaFacts): SourceTimeline | null {
  if (facts.kind === 'audio') {
    const rate = rateForTime(SOUND_FPS);
    const length = Math.max(1, framesAt(facts.duration, rate, 'up'));
    return { rate, firstFrame: 0, length, size: null, hasSound: true, byFrames: false };
  }
  if (facts.kind !== 'video') return null;
  const clock = timecodeClockOf(facts);
  const known = knownRate(facts.fps, clock.dropFrame);
  const rate = known ?? rateForTime(facts.fps);
  const byFrames = known !== null && !facts.variableFrameRate;
  const { width, height } = facts;
  return {
    rate,
    firstFrame: firstFrameOf(facts, clock, rate),
    length: Math.max(1, byFrames ? facts.totalFrames : framesAt(facts.duration, rate, 'up')),
    size: { width, height },
    hasSound: facts.audioStreams.length > 0,
    byFrames,
  };
}

/** Pictures are found until the time at which the last one is shown, sound until its end. */
function endAt(seconds: number, rate: EditRate, isPicture: boolean): number {
  return isPicture ? framesAt(seconds, rate, 'down') + 1 : framesAt(seconds, rate, 'up');
}

/**
 * Returns a segment's interval on its source's timeline, extended by `handles` frames on each side within the source.
 */
export function intervalOf(
  segment: { frameStart: number | null; frameEnd: number | null; timeStart: number; timeEnd: number },
  { byFrames, rate, length }: SourceTimeline,
  handles: number,
): Pick<EditEvent, 'start' | 'end'> {
  const { frameStart, frameEnd, timeStart, timeEnd } = segment;
  const counted = byFrames && frameStart !== null && frameEnd !== null;
  // Results name the last frame, editing programs the one behind it.
  const from = counted ? frameStart : framesAt(timeStart, rate, 'down');
  const to = counted ? frameEnd + 1 : endAt(timeEnd, rate, frameEnd !== null);
  const start = Math.min(Math.max(0, from - handles), length - 1);
  return { start, end: Math.min(Math.max(start + 1, to + handles), length) };
}

/** Timecode may count otherwise than the edit does, as that of 50p by pairs of frames, or of 120p: its clock stays. */
function firstFrameOf(facts: Pick<VideoFacts, 'startTimecode'>, { nominal }: TimecodeRate, rate: EditRate): number {
  const number = firstNumberOf(facts, { nominal, dropFrame: rate.dropFrame });
  return Math.floor((number * rate.nominal) / nominal);
}
