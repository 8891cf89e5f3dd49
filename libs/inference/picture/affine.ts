import { zip } from '@adit/contracts';

/**
 * Maps an output point to a source point: `x = a·u + b·v + c`, `y = d·u + e·v + f`. Points are continuous; the centre
 * of the top left pixel is (0.5, 0.5).
 */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export type Point = readonly [x: number, y: number];

/** A rectangle in pixels; may extend beyond the picture's border. */
export interface PixelBox {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Returns the map that shows `box` in an output of `width` × `height` pixels. */
export function boxMap(box: PixelBox, width: number, height: number): Affine {
  return [box.w / width, 0, box.x, 0, box.h / height, box.y];
}

/**
 * Returns the map that shows a square of side `size` pixels around `centre`, rotated by `angle` radians, in `side` ×
 * `side`.
 */
export function turnedSquareMap(centre: Point, size: number, angle: number, side: number): Affine {
  const scale = size / side;
  const cos = Math.cos(angle) * scale;
  const sin = Math.sin(angle) * scale;
  const half = side / 2;
  return [cos, -sin, centre[0] - cos * half + sin * half, sin, cos, centre[1] - sin * half - cos * half];
}

export function applyAffine(map: Affine, [u, v]: Point): Point {
  return [map[0] * u + map[1] * v + map[2], map[3] * u + map[4] * v + map[5]];
}

/** Returns source pixels per output pixel (geometric mean of both axes). */
export function affineScale(map: Affine): number {
  return Math.sqrt(Math.abs(map[0] * map[4] - map[1] * map[3]));
}

/**
 * Returns the similarity (rotation, scale, translation; no mirror) that maps `from` closest onto `to` in the
 * least-squares sense. S. Umeyama, "Least-squares estimation of transformation parameters between two point patterns",
 * PAMI 13(4), 1991; in the plane its solution has this closed form. Throws a RangeError for fewer than two distinct
 * points.
 */
export function similarityMap(from: readonly Point[], to: readonly Point[]): Affine {
  const pairs = [...zip(from, to)];
  const n = pairs.length;
  let fromX = 0;
  let fromY = 0;
  let toX = 0;
  let toY = 0;
  for (const [[x, y], [u, v]] of pairs) {
    fromX += x / n;
    fromY += y / n;
    toX += u / n;
    toY += v / n;
  }
  let dot = 0;
  let cross = 0;
  let variance = 0;
  for (const [source, target] of pairs) {
    const x = source[0] - fromX;
    const y = source[1] - fromY;
    const u = target[0] - toX;
    const v = target[1] - toY;
    dot += x * u + y * v;
    cross += x * v - y * u;
    variance += x * x + y * y;
  }
  if (!(variance > 0)) throw new RangeError('similarityMap needs two distinct points.');
  const cos = dot / variance;
  const sin = cross / variance;
  return [cos, -sin, toX - cos * fromX + sin * fromY, sin, cos, toY - sin * fromX - cos * fromY];
}
