/* eslint-disable @typescript-eslint/no-non-null-assertion -- the map is read for every pixel, within its size */
import { elementAt, float32At } from '@adit/contracts';
import type { Point } from '@adit/inference';
import { corners, minAreaRect, unclip, type RotatedRect } from './rotated-rect.js';

/** A line of text in pixels of the map, with the mean probability of its core, 0..1. */
export interface TextRegion {
  rect: RotatedRect;
  score: number;
}

/** Parameters of turning a probability map into lines. */
export interface RegionOptions {
  /** Probability from which a pixel belongs to a core. */
  threshold: number;
  /** Cores with a lower mean are dropped. */
  minScore: number;
  /** Growth of a core, see `unclip`. */
  unclipRatio: number;
  /** Cores whose shorter side is below this many pixels are dropped. */
  minSide: number;
  /** Grown lines whose shorter side is below this many pixels are dropped. */
  minGrown: number;
  /** A core's rectangle goes around its pixels, or through their centres. */
  through: 'borders' | 'middles';
  /** The score is the mean of the core, or of the whole rectangle. */
  scored: 'core' | 'rectangle';
}

/** Settings of PP-OCR's own pipeline, with a lower score, since a film shows a line repeatedly. */
const REGION_OPTIONS: RegionOptions = {
  ...{ threshold: 0.3, minScore: 0.55, unclipRatio: 1.6, minSide: 3, minGrown: 0 },
  ...{ through: 'borders', scored: 'core' },
};

/**
 * PaddleOCR's own (ppocr/postprocess/db_postprocess.py, `boxes_from_bitmap` with the score `fast`), for third-party
 * networks.
 */
export const PADDLE_OPTIONS: RegionOptions = {
  ...{ threshold: 0.3, minScore: 0.6, unclipRatio: 1.5, minSide: 3, minGrown: 5 },
  ...{ through: 'middles', scored: 'rectangle' },
};

/**
 * Limit of cores with a rectangle; PaddleOCR takes 1,000, including small ones. A page full of text has a few hundred.
 */
const MAX_CORES = 2_000;
/**
 * Limit of pixels read for means, as a multiple of the map's: rectangles of text hardly overlap, those of nested rings
 * all do.
 */
const MAX_OVERLAP = 16;

/**
 * Finds lines of text in DBNet's probability map, row-major: connected pixels above the threshold form a core, and the
 * smallest rectangle around it is grown to the size of the text. A map without text is cut off by limits, so that none
 * takes long.
 */
export function textRegions(
  map: Float32Array,
  width: number,
  height: number,
  options: RegionOptions = REGION_OPTIONS,
): TextRegion[] {
  const seen = new Uint8Array(width * height);
  const regions: TextRegion[] = [];
  const budget = { pixels: MAX_OVERLAP * map.length };
  let cores = 0;
  for (let start = 0; start < seen.length && cores < MAX_CORES && budget.pixels > 0; start++) {
    if (seen[start] || map[start]! < options.threshold) continue;
    const core = takeCore(map, seen, width, height, start, options.threshold);
    if (options.scored === 'core' && core.score < options.minScore) continue;
    if (!canBeWide(core.rows, options)) continue;
    cores++;
    const rect = minAreaRect(borderOf(core.rows, options.through));
    if (Math.min(rect.width, rect.height) < options.minSide) continue;
    const score = options.scored === 'core' ? core.score : meanWithin(map, width, height, rect, budget);
    if (score < options.minScore) continue;
    const grown = unclip(rect, options.unclipRatio);
    if (Math.min(grown.width, grown.height) < options.minGrown) continue;
    regions.push({ rect: grown, score });
  }
  return regions;
}

/** First and last pixel of a core in each row. */
type Rows = Map<number, [first: number, last: number]>;

/** Visits all pixels above the threshold that are connected to `start`. */
function takeCore(
  map: Float32Array,
  seen: Uint8Array,
  width: number,
  height: number,
  start: number,
  threshold: number,
): { score: number; rows: Rows } {
  const rows: Rows = new Map();
  let sum = 0;
  let count = 0;
  const stack = [start];
  seen[start] = 1;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const x = at % width;
    const y = (at - x) / width;
    sum += map[at]!;
    count++;
    const row = rows.get(y);
    if (row === undefined) rows.set(y, [x, x]);
    else {
      row[0] = Math.min(row[0], x);
      row[1] = Math.max(row[1], x);
    }
    for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
      for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
        const next = ny * width + nx;
        if (seen[next] || map[next]! < threshold) continue;
        seen[next] = 1;
        stack.push(next);
      }
    }
  }
  return { score: sum / count, rows };
}

/** Returns the corners of each row's first and last pixel, or their centres, counted from the first pixel's. */
function borderOf(rows: Rows, through: RegionOptions['through']): Point[] {
  if (through === 'middles') return [...rows].flatMap(([y, ends]) => ends.map((x): Point => [x, y]));
  return [...rows].flatMap(([y, [first, last]]): Point[] => [
    [first, y],
    [last + 1, y],
    [first, y + 1],
    [last + 1, y + 1],
  ]);
}

/**
 * Tests whether a core's rectangle can have `minSide` on both sides: the smallest one has at most the area of the
 * upright one.
 */
function canBeWide(rows: Rows, { through, minSide }: RegionOptions): boolean {
  let [left, right] = [Infinity, -Infinity];
  for (const [first, last] of rows.values()) {
    left = Math.min(left, first);
    right = Math.max(right, last);
  }
  const border = through === 'borders' ? 1 : 0;
  return (right - left + border) * (rows.size - 1 + border) >= minSide ** 2;
}

/**
 * Returns the mean of the pixels in a rectangle through pixel centres, as OpenCV fills it (`fillPoly`): including those
 * its sides touch. Reads are deducted from the budget; 0 when it is used up.
 */
function meanWithin(
  map: Float32Array,
  width: number,
  height: number,
  rect: RotatedRect,
  budget: { pixels: number },
): number {
  const points = corners(rect).map(([x, y]): Point => [Math.floor(x), Math.floor(y)]);
  const ys = points.map(([, y]) => y);
  const [top, bottom] = [Math.max(0, Math.min(...ys)), Math.min(height - 1, Math.max(...ys))];
  const xs = points.map(([x]) => x);
  const [left, right] = [Math.max(0, Math.min(...xs)), Math.min(width - 1, Math.max(...xs))];
  let sum = 0;
  let count = 0;
  for (let y = top; y <= bottom; y++) {
    const [first, last] = insideRow(points, y, left, right);
    budget.pixels -= 1 + Math.max(0, last + 1 - first);
    if (budget.pixels < 0) return 0;
    for (let x = first; x <= last; x++) {
      sum += float32At(map, y * width + x);
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/**
 * Returns the first and the last pixel of a row, within `first` and `last`, inside of all sides; last before first for
 * none.
 */
function insideRow(points: readonly Point[], y: number, first: number, last: number): [first: number, last: number] {
  for (const [at, [ax, ay]] of points.entries()) {
    const [bx, by] = elementAt(points, (at + 1) % points.length);
    const [dx, dy] = [bx - ax, by - ay];
    // Right of the side, or a pixel of the line drawn along it: dx (y − ay) − dy (x − ax) ≥ −max(|dx|, |dy|) / 2.
    const room = 2 * dx * (y - ay) + Math.max(Math.abs(dx), Math.abs(dy));
    if (dy > 0) last = Math.min(last, ax + Math.floor(room / (2 * dy)));
    else if (dy < 0) first = Math.max(first, ax + Math.ceil(room / (2 * dy)));
    else if (room < 0) last = -1;
  }
  return [first, last];
}
