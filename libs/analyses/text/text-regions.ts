/* eslint-disable @typescript-eslint/no-non-null-assertion -- the map is read for every pixel, within its size */
import { elementAt, float32At } from '@adit/contracts';
import type { Point } from '@adit/inference';
import { corners, minAreaRect, unclip, type RotatedRect } from './rotated-rect.js';

/** A line of text in pixels of the map, with the mean likelihood of its core, 0..1. */
export interface TextRegion {
  rect: RotatedRect;
  score: number;
}

/** How a map of likelihoods becomes lines. */
export interface RegionOptions {
  /** From where a pixel belongs to a core. */
  threshold: number;
  /** Cores that are less likely on average are dropped. */
  minScore: number;
  /** How much a core grows, see `unclip`. */
  unclipRatio: number;
  /** Cores whose shorter side is below this many pixels are dropped. */
  minSide: number;
  /** Lines that are shorter across than so many pixels once they have grown are dropped. */
  minGrown: number;
  /** A core's rectangle goes around its pixels, or through their middles. */
  through: 'borders' | 'middles';
  /** The score is the mean of the core, or of all that the rectangle holds. */
  scored: 'core' | 'rectangle';
}

/** Those of PP-OCR's own pipeline, but a lower score: a film shows a line again and again. */
const REGION_OPTIONS: RegionOptions = {
  ...{ threshold: 0.3, minScore: 0.55, unclipRatio: 1.6, minSide: 3, minGrown: 0 },
  ...{ through: 'borders', scored: 'core' },
};

/** PaddleOCR's own (ppocr/postprocess/db_postprocess.py, `boxes_from_bitmap` with the score `fast`), for networks of others. */
export const PADDLE_OPTIONS: RegionOptions = {
  ...{ threshold: 0.3, minScore: 0.6, unclipRatio: 1.5, minSide: 3, minGrown: 5 },
  ...{ through: 'middles', scored: 'rectangle' },
};

/**
 * Lines of text in DBNet's map of likelihoods, row-major: pixels above the threshold that touch are one core, around each
 * the smallest rectangle, grown to the size of the text.
 */
export function textRegions(
  map: Float32Array,
  width: number,
  height: number,
  options: RegionOptions = REGION_OPTIONS,
): TextRegion[] {
  const seen = new Uint8Array(width * height);
  const regions: TextRegion[] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || map[start]! < options.threshold) continue;
    const core = takeCore(map, seen, width, height, start, options.threshold);
    if (options.scored === 'core' && core.score < options.minScore) continue;
    const rect = minAreaRect(borderOf(core.rows, options.through));
    if (Math.min(rect.width, rect.height) < options.minSide) continue;
    const score = options.scored === 'core' ? core.score : meanWithin(map, width, height, rect);
    if (score < options.minScore) continue;
    const grown = unclip(rect, options.unclipRatio);
    if (Math.min(grown.width, grown.height) < options.minGrown) continue;
    regions.push({ rect: grown, score });
  }
  return regions;
}

/** The first and the last pixel of a core in each row. */
type Rows = Map<number, [first: number, last: number]>;

/** Visits all pixels that touch `start` above the threshold. */
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

/** The corners of each row's first and last pixel, or their middles, counted from the first pixel's. */
function borderOf(rows: Rows, through: RegionOptions['through']): Point[] {
  if (through === 'middles') return [...rows].flatMap(([y, ends]) => ends.map((x): Point => [x, y]));
  return [...rows].flatMap(([y, [first, last]]): Point[] => [
    [first, y],
    [last + 1, y],
    [first, y + 1],
    [last + 1, y + 1],
  ]);
}

/** The mean of the pixels in a rectangle through middles of pixels, as OpenCV fills it (`fillPoly`): with those its sides touch. */
function meanWithin(map: Float32Array, width: number, height: number, rect: RotatedRect): number {
  const points = corners(rect).map(([x, y]): Point => [Math.floor(x), Math.floor(y)]);
  const within = (values: number[], limit: number): [number, number] => [
    Math.max(0, Math.min(...values)),
    Math.min(limit - 1, Math.max(...values)),
  ];
  const [left, right] = within(
    points.map(([x]) => x),
    width,
  );
  const [top, bottom] = within(
    points.map(([, y]) => y),
    height,
  );
  let sum = 0;
  let count = 0;
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      if (!points.every((point, at) => isInside([x, y], point, elementAt(points, (at + 1) % points.length)))) continue;
      sum += float32At(map, y * width + x);
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** Whether a pixel is right of a side, or one that a line along it is drawn with. */
function isInside([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): boolean {
  const [dx, dy] = [bx - ax, by - ay];
  return dx * (y - ay) - dy * (x - ax) >= -0.5 * Math.max(Math.abs(dx), Math.abs(dy));
}
