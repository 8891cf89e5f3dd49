import { elementAt, type VideoFacts } from '@adit/contracts';
import type { FfmpegFilter } from '../ffmpeg/ffmpeg-binary.js';
import type { FrameIndex } from './frame-index.js';
import { fastColours, toJpegPicture } from './jpeg-colours.js';

/** The graph counts microseconds from the chunk's first frame, whatever the container's time base. */
export const GRAPH_TICKS = 1_000_000;

/** One picture size to write; specs of the same size share it. */
export interface GraphOutput {
  width: number;
  height: number;
  /** Frame numbers, ascending. */
  frames: readonly number[];
}

/**
 * Above this number, frames are written without selection and sorted out afterwards: a command argument may have 128
 * kB.
 */
const MAX_WINDOWS = 700;

/** Returns microseconds from the chunk's first frame. */
export function graphTime(index: FrameIndex, basePts: number, pts: number): number {
  const { num, den } = index.timeBase;
  return micros(pts, num, den) - micros(basePts, num, den);
}

interface ChunkGraph {
  facts: VideoFacts;
  index: FrameIndex;
  /** Presentation time in ticks that the graph counts from. */
  basePts: number;
  outputs: readonly GraphOutput[];
  filters: ReadonlySet<FfmpegFilter>;
  /** Number of the first decoded keyframe, in a film whose pictures are counted. */
  countFrom: number;
}

/**
 * Builds the filter graph of a chunk. Frames are picked by time, each within half a frame of its indexed time, so that
 * a decoder's rounding never loses one; then they are deinterlaced, tone-mapped, scaled to square pixels and converted
 * to JPEG's colours. Output i leaves as `[oi]`; the first decoded picture, unchanged, as `[landing]`.
 */
export function filterGraph({ facts, index, basePts, outputs, filters, countFrom }: ChunkGraph): string {
  const all = [...new Set(outputs.flatMap((output) => output.frames))].sort((a, b) => a - b);
  const last = elementAt(all, -1);
  const deinterlacer = facts.interlaced ? (['bwdif', 'yadif'] as const).find((name) => filters.has(name)) : undefined;
  const reach = deinterlacer ? 1 : 0;
  const end = window(index, basePts, last + reach)[1];
  const base = micros(basePts, index.timeBase.num, index.timeBase.den);
  const isCounted = index.hints.timing === 'counted';
  const clock = [
    // Pictures that belong to an earlier keyframe would otherwise be counted as later ones.
    ...(isCounted && countFrom > 0 ? ["select='key+gt(selected_n,0)'"] : []),
    `settb=1/${GRAPH_TICKS}`,
    `setpts=${isCounted ? countedTime(index, countFrom) : 'PTS'}-(${base})`,
  ];
  const chain = [
    ...(index.hints.misdated ? [untilBehind(end)] : []),
    `trim=end_pts=${end + 1}`,
    selectWindows(windows(index, basePts, all, reach)),
  ];
  if (deinterlacer) {
    // Only the neighbours of wanted frames reach this filter. Unflagged frames stay as they are when others are
    // flagged.
    chain.push(`${deinterlacer}=mode=0:deint=${index.hints.framesFlagged ? 1 : 0}`, `settb=1/${GRAPH_TICKS}`);
    chain.push(selectWindows(windows(index, basePts, all, 0)));
  }
  const colours = fastColours(facts, index.hints, filters);
  if (colours !== null) chain.push(colours);
  const parts = outputs.map((output, i) => {
    const own = output.frames.length === all.length ? [] : [selectWindows(windows(index, basePts, output.frames, 0))];
    return `[s${i}]${[...own, ...toJpegPicture(facts, index.hints, output, filters, colours !== null)].join(',')}[o${i}]`;
  });
  const labels = outputs.map((_, i) => `[s${i}]`).join('');
  return [
    `[0:${facts.stream}]${clock.join(',')},split[film][head]`,
    // A trim of its own, or ffmpeg would read on for this output.
    '[head]trim=end_frame=1[landing]',
    `[film]${chain.join(',')},split=${outputs.length}${labels}`,
    ...parts,
  ].join(';');
}

/** Expression for the time of the n-th picture after frame `from`, where the pictures' own times are meaningless. */
function countedTime(index: FrameIndex, from: number): string {
  const { num, den } = index.timeBase;
  const step = ((index.ptsOf(index.totalFrames) - index.startPts) * num * GRAPH_TICKS) / den / index.totalFrames;
  return `${micros(index.startPts, num, den)}+round((N+${from})*${step})`;
}

/** Returns the latest time, in the graph's clock, at which a picture still counts as frame `frame`. */
export function latestTime(index: FrameIndex, basePts: number, frame: number): number {
  return window(index, basePts, frame)[1];
}

/** Returns the times within which a picture counts as frame `frame`: half-way to its neighbours. */
function window(index: FrameIndex, basePts: number, frame: number): [number, number] {
  const total = index.totalFrames;
  const at = (number: number) => graphTime(index, basePts, index.ptsOf(Math.min(Math.max(number, 0), total)));
  const own = at(Math.min(frame, total - 1));
  const before = frame <= 0 ? own - (at(1) - own) : at(frame - 1);
  const after = at(Math.min(frame, total - 1) + 1);
  return [Math.floor((before + own) / 2) + 1, Math.floor((own + after) / 2)];
}

/** Returns the windows of frames and of `reach` neighbours on each side, joined where they touch. */
function windows(index: FrameIndex, basePts: number, frames: readonly number[], reach: number): [number, number][] {
  const joined: [number, number][] = [];
  for (const frame of frames) {
    const [low] = window(index, basePts, Math.max(frame - reach, 0));
    const [, high] = window(index, basePts, Math.min(frame + reach, index.totalFrames - 1));
    const previous = joined.at(-1);
    if (previous && low <= previous[1] + 1) previous[1] = Math.max(previous[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

function selectWindows(windowList: [number, number][]): string {
  const whole: [number, number] = [elementAt(windowList, 0)[0], elementAt(windowList, -1)[1]];
  const inside = isInside(windowList.length > MAX_WINDOWS ? [whole] : windowList);
  // A damaged stream may repeat a time, which the encoder refuses.
  return `select='(${inside})*(isnan(prev_selected_pts)+gt(pts,prev_selected_pts))'`;
}

/**
 * Expression that tests whether `pts` is in one of the windows, as a tree: ffmpeg's expressions may be 100 terms deep,
 * and it is evaluated per picture.
 */
function isInside(windowList: readonly [number, number][]): string {
  const middle = windowList.length >> 1;
  const [low, high] = elementAt(windowList, middle);
  if (middle === 0) return `between(pts,${low},${high})`;
  return `if(lt(pts,${low}),${isInside(windowList.slice(0, middle))},${isInside(windowList.slice(middle))})`;
}

/** Number of consecutive pictures behind the end that prove the end, unlike a single picture with a wrong time. */
const MIN_BEHIND = 32;

/** Drops pictures with a wrong time, since `trim` ends with the first picture behind its end. */
function untilBehind(end: number): string {
  return `select='if(gt(pts,${end}),gt(st(0,ld(0)+1),${MIN_BEHIND}),1+0*st(0,0))'`;
}

function micros(pts: number, num: number, den: number): number {
  return Math.round((pts * num * GRAPH_TICKS) / den);
}
