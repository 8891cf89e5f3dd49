/* eslint-disable @typescript-eslint/no-non-null-assertion -- the map is read for every pixel, within its size */
import type { Point } from '@adit/inference';
import { minAreaRect, unclip, type RotatedRect } from './rotated-rect.js';

/** A line of text in pixels of the map, with the mean likelihood of its core, 0..1. */
interface TextRegion {
  rect: RotatedRect;
  score: number;
}

interface RegionOptions {
  /** From where a pixel belongs to a core. */
  threshold: number;
  /** Cores that are less likely on average are dropped. */
  minScore: number;
  /** How much a core grows, see `unclip`. */
  unclipRatio: number;
  /** Cores whose shorter side is below this many pixels are dropped. */
  minSide: number;
}

/** Those of PP-OCR's own pipeline, but a lower score: a film shows a line again and again. */
const REGION_OPTIONS: RegionOptions = { threshold: 0.3, minScore: 0.55, unclipRatio: 1.6, minSide: 3 };

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
    const { score, border } = takeCore(map, seen, width, height, start, options.threshold);
    if (score < options.minScore) continue;
    const rect = minAreaRect(border);
    if (Math.min(rect.width, rect.height) < options.minSide) continue;
    regions.push({ rect: unclip(rect, options.unclipRatio), score });
  }
  return regions;
}

/** Visits all pixels that touch `start` above the threshold; `border` are the corners of each row's first and last. */
function takeCore(
  map: Float32Array,
  seen: Uint8Array,
  width: number,
  height: number,
  start: number,
  threshold: number,
): { score: number; border: Point[] } {
  const rows = new Map<number, [first: number, last: number]>();
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
  const border = [...rows].flatMap(([y, [first, last]]): Point[] => [
    [first, y],
    [last + 1, y],
    [first, y + 1],
    [last + 1, y + 1],
  ]);
  return { score: sum / count, border };
}
