import { elementAt } from '@adit/contracts';
import type { Point } from '@adit/inference';

/** A rectangle rotated by `angle` radians (clockwise, y down); `width` runs along the rotated x axis. */
export interface RotatedRect {
  centre: Point;
  width: number;
  height: number;
  angle: number;
}

/**
 * Convex hull, counter-clockwise in a y-up plane (A. M. Andrew's monotone chain, 1979); at most two points are returned
 * unchanged.
 */
function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const chain = (ordered: readonly Point[]): Point[] => {
    const half: Point[] = [];
    for (const point of ordered) {
      while (half.length > 1 && cross(elementAt(half, -2), elementAt(half, -1), point) <= 0) half.pop();
      half.push(point);
    }
    return half.slice(0, -1);
  };
  const hull = [...chain(sorted), ...chain(sorted.reverse())];
  return hull.length > 0 ? hull : sorted.slice(0, 1);
}

function cross(o: Point, a: Point, b: Point): number {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/**
 * Returns the rectangle of least area around points: one of its sides lies on a side of their hull (H. Freeman, R.
 * Shapira, 1975). Its angle is within (−45°, 45°]. Throws a RangeError for no points.
 */
export function minAreaRect(points: readonly Point[]): RotatedRect {
  const hull = convexHull(points);
  let best: RotatedRect | null = null;
  for (const [i, from] of hull.entries()) {
    const to = elementAt(hull, (i + 1) % hull.length);
    const rect = around(hull, quarterTurned(Math.atan2(to[1] - from[1], to[0] - from[0])));
    if (best === null || rect.width * rect.height < best.width * best.height - 1e-9) best = rect;
  }
  if (best === null) throw new RangeError('minAreaRect needs a point.');
  return best;
}

/** Normalises a direction, or one at a right angle to it, to (−45°, 45°]. */
function quarterTurned(angle: number): number {
  const quarter = Math.PI / 2;
  const turned = angle - Math.round(angle / quarter) * quarter;
  return turned <= -Math.PI / 4 ? turned + quarter : turned;
}

function around(points: readonly Point[], angle: number): RotatedRect {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    const u = x * cos + y * sin;
    const v = y * cos - x * sin;
    left = Math.min(left, u);
    right = Math.max(right, u);
    top = Math.min(top, v);
    bottom = Math.max(bottom, v);
  }
  const u = (left + right) / 2;
  const v = (top + bottom) / 2;
  return { centre: [u * cos - v * sin, u * sin + v * cos], width: right - left, height: bottom - top, angle };
}

/**
 * Grows a rectangle by area · ratio / perimeter on every side, to undo the shrinking of DBNet's text cores (Liao et
 * al., "Real-time Scene Text Detection with Differentiable Binarization", AAAI 2020).
 */
export function unclip(rect: RotatedRect, ratio: number): RotatedRect {
  const perimeter = 2 * (rect.width + rect.height);
  const distance = perimeter > 0 ? (rect.width * rect.height * ratio) / perimeter : 0;
  return { ...rect, width: rect.width + 2 * distance, height: rect.height + 2 * distance };
}

/** In reading order: where the text begins above, ends above, ends below, begins below. */
export type Corners = readonly [Point, Point, Point, Point];

export function mapCorners([a, b, c, d]: Corners, map: (corner: Point) => Point): Corners {
  return [map(a), map(b), map(c), map(d)];
}

export function corners({ centre, width, height, angle }: RotatedRect): Corners {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corner = (u: number, v: number): Point => [centre[0] + u * cos - v * sin, centre[1] + u * sin + v * cos];
  const [w, h] = [width / 2, height / 2];
  // A column of text reads downwards when its top is rotated to the right: it begins below left.
  if (height > width * COLUMN) return [corner(-w, h), corner(-w, -h), corner(w, -h), corner(w, h)];
  return [corner(-w, -h), corner(w, -h), corner(w, h), corner(-w, h)];
}

/** Ratio of height to width from which a box is a vertical line of text. */
const COLUMN = 1.5;
