import { AditError, elementAt, rangeSeconds, type FrameInterval, type ProcessingRange } from '@adit/contracts';
import { checkChunks, DEFAULT_FILM_LIMITS, type FilmLimits } from './film-limits.js';
import { firstPlace, type FrameIndex } from './video/frame-index.js';

/** Length of a chunk in seconds: cut at the first keyframe past the lower bound, and at the upper one at the latest. */
const MIN_CHUNK_SECONDS = 10;
const MAX_CHUNK_SECONDS = 30;
/** Tolerance in seconds when comparing times; frames are at least 4 ms apart. */
const EPSILON = 1e-6;

/** A frame chosen for analysis. `time` in seconds from the film's first frame, `pts` in ticks. */
export interface SampledFrame {
  frame: number;
  pts: number;
  time: number;
}

/**
 * Cuts a film into contiguous chunks that cover every frame once, at keyframes where possible, never longer than 30 s.
 * If timestamps jump by more than that, each side is cut like a film of its own. The result depends on the media
 * alone, so that a film has the same chunks in every job. Throws TOO_LARGE for more chunks than `limits` allow.
 */
export function planGrid(index: FrameIndex, limits: FilmLimits = DEFAULT_FILM_LIMITS): FrameInterval[] {
  const grid: FrameInterval[] = [];
  const total = index.totalFrames;
  for (let start = 0; start < total;) {
    const gapless = gaplessIntervalFrom(index, start);
    while (start < gapless.end) {
      const end = nextCut(index, start, gapless);
      grid.push(interval(index, start, end));
      checkChunks(grid.length, limits);
      start = end;
    }
  }
  return grid;
}

/** Frames between two jumps of the clock. */
interface GaplessInterval {
  /** Number of the frame behind the last one. */
  end: number;
  /** Seconds from the film's first frame. */
  endTime: number;
}

function gaplessIntervalFrom(index: FrameIndex, start: number): GaplessInterval {
  const total = index.totalFrames;
  const longest = (MAX_CHUNK_SECONDS * index.timeBase.den) / index.timeBase.num;
  for (let frame = start + 1; frame < total; frame++) {
    const [before, at] = [index.ptsOf(frame - 1), index.ptsOf(frame)];
    if (at - before > longest) return { end: frame, endTime: index.seconds(before) };
  }
  return { end: total, endTime: index.duration };
}

/**
 * Returns the chunks of a range. Inner chunks stay as they are in the grid, since their observations may be cached;
 * border chunks are cut to the exact frame. Both ends are inclusive: from the first frame that begins at `time_start`
 * or later to the one on display at `time_end`, which is also the frame of a range within a single frame. The first
 * frame is always sampled. A range that extends beyond the film ends with it. Throws MEDIA_INVALID for a range outside
 * the film.
 */
export function planRange(grid: readonly FrameInterval[], index: FrameIndex, range: ProcessingRange): FrameInterval[] {
  const [first, end] = rangeFrames(index, range);
  return grid
    .filter((chunk) => chunk.frameEnd > first && chunk.frameStart < end)
    .map((chunk) => {
      const begins = first > 0 && chunk.frameStart <= first;
      if (!begins && chunk.frameEnd <= end) return chunk;
      const cut = interval(index, Math.max(chunk.frameStart, first), Math.min(chunk.frameEnd, end));
      return begins ? { ...cut, first: true as const } : cut;
    });
}

/**
 * Returns the frames of an interval that an analysis at `rate` frames per second samples: the first frame at or after
 * each multiple of 1/rate from the film's start, so that chunks and ranges never change the choice. A range adds its
 * first frame, so that it never lacks frames.
 */
export function sampleFrames(
  index: FrameIndex,
  chunk: Pick<FrameInterval, 'frameStart' | 'frameEnd' | 'first'>,
  rate: number,
): SampledFrame[] {
  const samples: SampledFrame[] = [];
  const slot = (frame: number) => Math.floor(index.seconds(index.ptsOf(frame)) * rate + EPSILON);
  let previous = chunk.frameStart === 0 || chunk.first ? -1 : slot(chunk.frameStart - 1);
  for (let frame = chunk.frameStart; frame < chunk.frameEnd; frame++) {
    const current = slot(frame);
    if (current > previous) {
      const pts = index.ptsOf(frame);
      samples.push({ frame, pts, time: index.seconds(pts) });
    }
    previous = current;
  }
  return samples;
}

/** Returns the first frame after the chunk that begins at `start`. */
function nextCut(index: FrameIndex, start: number, interval: GaplessInterval): number {
  const begin = index.seconds(index.ptsOf(start));
  const timeOf = (frame: number) => index.seconds(index.ptsOf(frame)) - begin;
  const rest = interval.endTime - begin;
  const key = keyFrameFrom(index, start, MIN_CHUNK_SECONDS);
  if (rest <= MAX_CHUNK_SECONDS + EPSILON) {
    // The rest fits. It stays whole unless a keyframe cuts it into two chunks of full length.
    return key !== null && rest - timeOf(key) >= MIN_CHUNK_SECONDS ? key : interval.end;
  }
  if (key !== null && timeOf(key) <= MAX_CHUNK_SECONDS + EPSILON) return key;
  // Without a keyframe in time, the chunk ends at the last frame that begins within the bound.
  const bound =
    index.startPts + Math.floor(((begin + MAX_CHUNK_SECONDS + EPSILON) * index.timeBase.den) / index.timeBase.num);
  const end = index.firstAtOrAfter(bound + 1) - 1;
  return Math.min(Math.max(end, start + 1), interval.end);
}

/** Returns the first keyframe at least `seconds` after frame `start`; null when there is none. */
function keyFrameFrom(index: FrameIndex, start: number, seconds: number): number | null {
  const keys = index.keyFrames;
  const earliest = index.seconds(index.ptsOf(start)) + seconds - EPSILON;
  const key = keys[firstPlace(keys.length, (at) => !(index.seconds(index.ptsOf(elementAt(keys, at))) < earliest))];
  return key === undefined || key <= start ? null : key;
}

function interval(index: FrameIndex, frameStart: number, frameEnd: number): FrameInterval {
  const ptsStart = index.ptsOf(frameStart);
  return { frameStart, frameEnd, ptsStart, ptsEnd: index.ptsOf(frameEnd), seekPts: index.seekPtsFor(ptsStart) };
}

/** Returns the first frame of a range and the frame after its last one. */
export function rangeFrames(index: FrameIndex, range: ProcessingRange): [number, number] {
  const total = index.totalFrames;
  if ('frame_start' in range || 'frame_end' in range) {
    const { frame_start: first = 0, frame_end: last = total - 1 } = range;
    if (first >= total) {
      throw new AditError('MEDIA_INVALID', `The range begins at frame ${first}; the film has ${total} frames.`);
    }
    return [first, Math.min(last + 1, total)];
  }
  const { from, to } = rangeSeconds(range);
  if (from >= index.duration) {
    throw new AditError(
      'MEDIA_INVALID',
      `The range begins at ${from} s; the pictures of the film end at ${index.duration.toFixed(3)} s.`,
    );
  }
  const first = firstAtTime(index, from);
  const end = to >= index.duration ? total : firstAfter(index, to);
  // A range within one frame covers the one on display.
  return [Math.max(Math.min(first, end - 1), 0), Math.max(end, 1)];
}

function firstAtTime(index: FrameIndex, seconds: number): number {
  const ticks = ((seconds - EPSILON) * index.timeBase.den) / index.timeBase.num;
  return index.firstAtOrAfter(index.startPts + Math.ceil(ticks));
}

function firstAfter(index: FrameIndex, seconds: number): number {
  const ticks = ((seconds + EPSILON) * index.timeBase.den) / index.timeBase.num;
  return index.firstAtOrAfter(index.startPts + Math.floor(ticks) + 1);
}
