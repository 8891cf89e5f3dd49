import type { VideoFacts } from '@adit/contracts';
import type { FfmpegFilter } from '../ffmpeg/ffmpeg-binary.js';
import { fastColours, toJpegPicture } from '../video/jpeg-colours.js';
import { LIVE_TICKS, type LiveHead } from './live-head.js';

/** One picture size to write, with all sampling rates that want it. */
export interface LiveOutput {
  width: number;
  height: number;
  /** Pictures a second. */
  rates: readonly number[];
}

/** Share of a sampling period by which a time may be early, since expressions count in floating point. */
const SLACK = 1e-5;

/**
 * Tests whether a frame is sampled: the first at or after a multiple of 1/rate, and the first of all. `previous` is the
 * time of the frame before it; null without one.
 */
export function isSampled(seconds: number, previous: number | null, rate: number): boolean {
  return previous === null || Math.floor(seconds * rate + SLACK) > Math.floor(previous * rate + SLACK);
}

/**
 * Builds the filter graph of a run: its frames are timed from the first picture, sampled, scaled and converted to
 * JPEG's colours as those of films are. Output i leaves as `[oi]`, all frames as `[clock]`; without
 * outputs there is the clock alone.
 */
export function liveGraph(
  { facts, hints, start }: LiveHead,
  outputs: readonly LiveOutput[],
  filters: ReadonlySet<FfmpegFilter>,
): string {
  const deinterlacer = facts.interlaced ? (['bwdif', 'yadif'] as const).find((name) => filters.has(name)) : undefined;
  const clock = [
    `settb=1/${LIVE_TICKS}`,
    `setpts=PTS-(${Math.round(start * LIVE_TICKS)})`,
    // A damaged stream may repeat a time, which the encoder refuses.
    "select='isnan(prev_selected_pts)+gt(pts,prev_selected_pts)'",
  ];
  if (outputs.length === 0) return `[0:${facts.stream}]${clock.join(',')}[clock]`;
  const chain = [
    ...(deinterlacer === undefined
      ? []
      : [`${deinterlacer}=mode=0:deint=${hints.framesFlagged ? 1 : 0}`, `settb=1/${LIVE_TICKS}`]),
    selectSampled([...new Set(outputs.flatMap(({ rates }) => rates))]),
  ];
  const colours = fastColours(facts, hints, filters);
  if (colours !== null) chain.push(colours);
  const parts = outputs.map((output, i) => {
    const fitted = fittedSize(facts, output);
    const pictures = toJpegPicture(facts, hints, fitted, filters, colours !== null);
    const { width, height } = output;
    const isWhole = fitted.width === width && fitted.height === height;
    const pad = isWhole ? [] : [`pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`];
    return `[s${i}]${[selectSampled(output.rates), ...pictures, ...pad].join(',')}[o${i}]`;
  });
  return [
    `[0:${facts.stream}]${clock.join(',')},split[film][clock]`,
    `[film]${chain.join(',')},split=${outputs.length}${outputs.map((_, i) => `[s${i}]`).join('')}`,
    ...parts,
  ].join(';');
}

/** Relative difference of aspect ratios up to which a picture is stretched, as rounded sides need it. */
const STRETCH = 0.03;

/** Returns the largest size of the run's pictures that fits into an output: a stream may change its aspect ratio. */
function fittedSize(facts: VideoFacts, { width, height }: LiveOutput): { width: number; height: number } {
  const ratio = facts.width / facts.height;
  if (Math.abs((ratio * height) / width - 1) < STRETCH) return { width, height };
  const even = (side: number): number => Math.max(2 * Math.round(side / 2), 2);
  return ratio > width / height
    ? { width, height: Math.min(even(width / ratio), height) }
    : { width: Math.min(even(height * ratio), width), height };
}

/** `isSampled` as a filter. It holds too for frames of which only those of faster rates are left. */
function selectSampled(rates: readonly number[]): string {
  const passed = rates.map((rate) => `gt(floor(t*${rate}+${SLACK}),floor(prev_t*${rate}+${SLACK}))`);
  return `select='isnan(prev_t)+${passed.join('+')}'`;
}
