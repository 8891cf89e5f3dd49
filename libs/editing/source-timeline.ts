import { parseTimecode, type MediaFacts, type Rational, type VideoFacts } from '@adit/contracts';
import type { EditEvent, EditSource } from './edit-list.js';
import { framesAt, knownRate, rateForTime, type EditRate } from './edit-rate.js';

/** As Adit's own timecode of sound counts. */
const SOUND_FPS: Rational = { num: 25, den: 1 };

/** What a job may say of a source that its file does not. */
export interface SourceWords {
  /** Timecode of the first frame, `HH:MM:SS:FF` or `HH:MM:SS;FF`. */
  startTimecode?: string;
  /** Of the timecode. */
  timecodeRate?: Rational;
}

/** How a source's frames are counted in an edit. */
export interface SourceTimeline extends Pick<EditSource, 'rate' | 'firstFrame' | 'length' | 'size' | 'hasSound'> {
  /** Whether a frame's number is that of the film; else events go by their times. */
  byFrames: boolean;
}

/**
 * The timeline of a film or recording; null for what has none, as pictures and documents. Films whose frames do not tell the
 * time, and rates that editing programs do not know, are cut by time. Throws VALIDATION for a start timecode that does not exist
 * at the rate.
 */
export function timelineOf(facts: MediaFacts, words: SourceWords = {}): SourceTimeline | null {
  if (facts.kind === 'audio') {
    const rate = knownRate(words.timecodeRate ?? SOUND_FPS, isDropped(words.startTimecode)) ?? rateForTime(SOUND_FPS);
    return {
      rate,
      firstFrame: firstFrameOf(words.startTimecode ?? null, words.timecodeRate, rate),
      length: Math.max(1, framesAt(facts.duration, rate, 'up')),
      size: null,
      hasSound: true,
      byFrames: false,
    };
  }
  if (facts.kind !== 'video') return null;
  const start = words.startTimecode ?? facts.startTimecode;
  const known = facts.variableFrameRate ? null : knownRate(facts.fps, dropsFrames(start, facts));
  const rate = known ?? rateForTime(facts.fps);
  const { width, height } = facts;
  return {
    rate,
    firstFrame: firstFrameOf(start, words.timecodeRate ?? facts.timecodeRate, rate),
    length: Math.max(1, known === null ? framesAt(facts.duration, rate, 'up') : facts.totalFrames),
    size: { width, height },
    hasSound: facts.audioStreams.length > 0,
    byFrames: known !== null,
  };
}

/** Where a segment lies on its source's timeline, `handles` frames longer on each side as far as the source reaches. */
export function stretchOf(
  segment: { frameStart: number | null; frameEnd: number | null; timeStart: number; timeEnd: number },
  { byFrames, rate, length }: SourceTimeline,
  handles: number,
): Pick<EditEvent, 'start' | 'end'> {
  const { frameStart, frameEnd, timeStart, timeEnd } = segment;
  const counted = byFrames && frameStart !== null && frameEnd !== null;
  // Results name the last frame, editing programs the one behind it.
  const from = counted ? frameStart : framesAt(timeStart, rate, 'down');
  const to = counted ? frameEnd + 1 : framesAt(timeEnd, rate, 'up');
  const start = Math.min(Math.max(0, from - handles), length - 1);
  return { start, end: Math.min(Math.max(start + 1, to + handles), length) };
}

/** A film's own timecode says it; without one 29.97 and 59.94 count in drop-frame, as they do in results. */
function dropsFrames(start: string | null, { timecodeRate }: VideoFacts): boolean {
  // Numbers that go by at another rate than frames are those of 50p and 60p, by pairs of frames.
  return start === null ? timecodeRate === undefined : isDropped(start);
}

function isDropped(start: string | undefined): boolean {
  return start !== undefined && /[;.]/.test(start);
}

/** Timecode that counts pairs of frames, as that of 50p often does, is multiplied. */
function firstFrameOf(start: string | null, counted: Rational | undefined, rate: EditRate): number {
  if (start === null) return 0;
  const nominal = counted === undefined ? rate.nominal : Math.round(counted.num / counted.den);
  const framesPerNumber = Math.max(1, Math.round(rate.nominal / nominal));
  return parseTimecode(start, { nominal, dropFrame: rate.dropFrame }) * framesPerNumber;
}
