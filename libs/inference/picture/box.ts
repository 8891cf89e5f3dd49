import type { PixelBox } from './affine.js';

/** A box in pixels with the detector's confidence, 0..1. */
export interface ScoredBox extends PixelBox {
  score: number;
}

function intersection(a: PixelBox, b: PixelBox): number {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return w > 0 && h > 0 ? w * h : 0;
}

/** Intersection over union, 0..1. */
export function overlap(a: PixelBox, b: PixelBox): number {
  const common = intersection(a, b);
  return common === 0 ? 0 : common / (a.w * a.h + b.w * b.h - common);
}

/** Share of a box that lies in another, 0..1. */
export function shareWithin(box: PixelBox, other: PixelBox): number {
  return intersection(box, other) / (box.w * box.h);
}

/** Share of the smaller box that lies in the other, 0..1. */
function containment(a: PixelBox, b: PixelBox): number {
  return Math.max(shareWithin(a, b), shareWithin(b, a));
}

/**
 * Non-maximum suppression: keeps the best of overlapping boxes, best first. A box is dropped when it overlaps a better
 * one by more than `maxOverlap`, or when one of both mostly contains the other (a part of a face seen at another
 * scale).
 */
export function suppress<T extends ScoredBox>(boxes: readonly T[], maxOverlap: number, maxContainment: number): T[] {
  const kept: T[] = [];
  for (const box of [...boxes].sort((a, b) => b.score - a.score || a.y - b.y || a.x - b.x)) {
    const covered = kept.some(
      (better) => overlap(better, box) > maxOverlap || containment(better, box) > maxContainment,
    );
    if (!covered) kept.push(box);
  }
  return kept;
}

/** Returns the square of `factor` times the box's longer side around its centre. */
export function squareAround(box: PixelBox, factor: number): PixelBox {
  const side = Math.max(box.w, box.h) * factor;
  return { x: box.x + (box.w - side) / 2, y: box.y + (box.h - side) / 2, w: side, h: side };
}

/** Returns the whole pixels that a box touches within its picture, so that a pack has nothing to clamp or round. */
export function wholePixels(box: PixelBox, { width, height }: { width: number; height: number }): PixelBox {
  const x = Math.max(0, Math.floor(box.x));
  const y = Math.max(0, Math.floor(box.y));
  const w = Math.min(width, Math.ceil(box.x + box.w)) - x;
  const h = Math.min(height, Math.ceil(box.y + box.h)) - y;
  return { x, y, w, h };
}
