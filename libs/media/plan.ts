import { AditError, type FrameInterval, type ProcessingRange, type VideoFacts } from '@adit/contracts';
import type { FrameIndex } from './frame-index.js';

/** Length of a chunk in seconds: cut at the first keyframe past the lower bound, at the upper one whatever happens. */
const SHORTEST = 10;
const LONGEST = 30;
/** Times are compared with this slack in seconds; frames are at least 4 ms apart. */
const EPSILON = 1e-6;

/** A frame chosen for analysis. `time` in seconds from the film's first frame, `pts` in ticks. */
export interface SampledFrame {
  frame: number;
  pts: number;
  time: number;
}

/**
 * Cuts a film into chunks: contiguous, covering every frame once, at keyframes where there are any, never longer than
 * 30 s. A function of the media alone, so that the same film has the same chunks in every job.
 */
export function planGrid(_facts: VideoFacts, index: FrameIndex): FrameInterval[] {
  const grid: FrameInterval[] = [];
  const total = index.totalFrames;
  let start = 0;
  while (start < total) {
    const end = nextCut(index, start);
    grid.push(interval(index, start, end));
    start = end;
  }
  return grid;
}

/**
 * The chunks of a range: inner chunks as they are in the grid (their observations may be known already), border chunks
 * cut to the exact frame. Times are half-open, `time_start` ≤ t < `time_end`; frames inclusive. A range that ends
 * after the film ends with it; one that lies outside throws MEDIA_INVALID.
 */
export function planRange(
  grid: readonly FrameInterval[],
  facts: VideoFacts,
  index: FrameIndex,
  range: ProcessingRange,
): FrameInterval[] {
  const [first, end] = rangeFrames(facts, index, range);
  return grid
    .filter((chunk) => chunk.frameEnd > first && chunk.frameStart < end)
    .map((chunk) => {
      if (chunk.frameStart >= first && chunk.frameEnd <= end) return chunk;
      return interval(index, Math.max(chunk.frameStart, first), Math.min(chunk.frameEnd, end));
    });
}

/**
 * The frames of an interval that an analysis at `rate` frames per second sees: the first frame at or after each
 * multiple of 1/rate, counted from the film's start, so that chunking and range never change which frames they are.
 */
export function sampleFrames(
  index: FrameIndex,
  _facts: VideoFacts,
  chunk: Pick<FrameInterval, 'frameStart' | 'frameEnd'>,
  rate: number,
): SampledFrame[] {
  const samples: SampledFrame[] = [];
  const slot = (frame: number) => Math.floor(index.seconds(index.ptsOf(frame)) * rate + EPSILON);
  let previous = chunk.frameStart === 0 ? -1 : slot(chunk.frameStart - 1);
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

/** First frame after the chunk that begins at `start`. */
function nextCut(index: FrameIndex, start: number): number {
  const total = index.totalFrames;
  const begin = index.seconds(index.ptsOf(start));
  const timeOf = (frame: number) => index.seconds(index.ptsOf(frame)) - begin;
  if (timeOf(total) <= LONGEST + EPSILON) {
    // The rest fits. It stays whole unless a keyframe cuts it into two chunks of full length.
    const key = keyFrameFrom(index, start, SHORTEST);
    return key !== null && timeOf(total) - timeOf(key) >= SHORTEST ? key : total;
  }
  const key = keyFrameFrom(index, start, SHORTEST);
  if (key !== null && timeOf(key) <= LONGEST + EPSILON) return key;
  // No keyframe in time: the last frame that begins a chunk within the bound. Every frame before it ends by then.
  const bound = index.startPts + Math.floor(((begin + LONGEST + EPSILON) * index.timeBase.den) / index.timeBase.num);
  let end = index.firstAtOrAfter(bound + 1) - 1;
  if (end <= start) end = start + 1;
  return Math.min(end, total);
}

/** The first keyframe at least `seconds` after frame `start`; null when there is none. */
function keyFrameFrom(index: FrameIndex, start: number, seconds: number): number | null {
  const keys = index.keyFrames;
  const earliest = index.seconds(index.ptsOf(start)) + seconds - EPSILON;
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (index.seconds(index.ptsOf(keys[middle] as number)) < earliest) low = middle + 1;
    else high = middle;
  }
  const key = keys[low];
  return key === undefined || key <= start ? null : key;
}

function interval(index: FrameIndex, frameStart: number, frameEnd: number): FrameInterval {
  const ptsStart = index.ptsOf(frameStart);
  return { frameStart, frameEnd, ptsStart, ptsEnd: index.ptsOf(frameEnd), seekPts: index.seekPtsFor(ptsStart) };
}

/** First frame and the frame after the last one of a range. */
function rangeFrames(facts: VideoFacts, index: FrameIndex, range: ProcessingRange): [number, number] {
  const total = index.totalFrames;
  if ('frame_start' in range || 'frame_end' in range) {
    const { frame_start: first = 0, frame_end: last = total - 1 } = range;
    if (first >= total) {
      throw new AditError('MEDIA_INVALID', `The range begins at frame ${first}; the film has ${total} frames.`);
    }
    return [first, Math.min(last + 1, total)];
  }
  const { time_start: from = 0, time_end: to = Infinity } = range as { time_start?: number; time_end?: number };
  if (from >= facts.duration) {
    throw new AditError(
      'MEDIA_INVALID',
      `The range begins at ${from} s; the film lasts ${facts.duration.toFixed(3)} s.`,
    );
  }
  const first = firstAtTime(index, from);
  const end = to >= facts.duration ? total : firstAtTime(index, to);
  if (end > first) return [first, end];
  // Shorter than a frame: the one on display then.
  return [Math.max(end - 1, 0), Math.max(end, 1)];
}

function firstAtTime(index: FrameIndex, seconds: number): number {
  const ticks = ((seconds - EPSILON) * index.timeBase.den) / index.timeBase.num;
  return index.firstAtOrAfter(index.startPts + Math.ceil(ticks));
}
