import type { Box } from '@adit/contracts';

const { max, min } = Math;

/** Returns the intersection over union of two boxes, 0..1. */
export function intersectionOverUnion(a: Box, b: Box): number {
  const width = min(a.x + a.w, b.x + b.w) - max(a.x, b.x);
  const height = min(a.y + a.h, b.y + b.h) - max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const both = width * height;
  return both / (a.w * a.h + b.w * b.h - both);
}
