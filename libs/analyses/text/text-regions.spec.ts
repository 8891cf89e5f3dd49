import { describe, expect, it } from '@jest/globals';
import { elementAt, float32At } from '@adit/contracts';
import type { Point } from '@adit/inference';
import fc from 'fast-check';
import { corners, type RotatedRect } from './rotated-rect.js';
import { PADDLE_OPTIONS, textRegions } from './text-regions.js';

/** Keeps every rectangle unchanged, whatever its score. */
const ALL = { ...PADDLE_OPTIONS, unclipRatio: 0, minScore: 0, minGrown: 0 };
const SIDE = 96;

const drawn: fc.Arbitrary<RotatedRect> = fc.record({
  centre: fc.tuple(fc.integer({ min: -5, max: 100 }), fc.integer({ min: -5, max: 100 })),
  width: fc.integer({ min: 3, max: 60 }),
  height: fc.integer({ min: 3, max: 30 }),
  angle: fc.double({ min: -1.6, max: 1.6, noNaN: true }),
});

function mapOf(width: number, height: number, value: (x: number, y: number) => number): Float32Array {
  return Float32Array.from({ length: width * height }, (_, at) => value(at % width, Math.floor(at / width)));
}

function isIn(x: number, y: number, { centre, width, height, angle }: RotatedRect): boolean {
  const [dx, dy] = [x - centre[0], y - centre[1]];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return Math.abs(dx * cos + dy * sin) <= width / 2 && Math.abs(dy * cos - dx * sin) <= height / 2;
}

/** Reference: the mean within a rectangle, pixel by pixel. */
function plainMean(map: Float32Array, side: number, rect: RotatedRect): number {
  const points = corners(rect).map(([x, y]): Point => [Math.floor(x), Math.floor(y)]);
  let [sum, count] = [0, 0];
  for (let at = 0; at < map.length; at++) {
    const [x, y] = [at % side, Math.floor(at / side)];
    const isInside = points.every(([ax, ay], corner) => {
      const [bx, by] = elementAt(points, (corner + 1) % points.length);
      const [dx, dy] = [bx - ax, by - ay];
      return dx * (y - ay) - dy * (x - ax) >= -0.5 * Math.max(Math.abs(dx), Math.abs(dy));
    });
    if (!isInside) continue;
    sum += float32At(map, at);
    count++;
  }
  return count === 0 ? 0 : sum / count;
}

/** The same numbers with a counter of reads. */
function counted(map: Float32Array): { map: Float32Array; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(map, {
    get(numbers, name) {
      reads++;
      return Reflect.get(numbers, name, numbers);
    },
  });
  return { map: proxy, reads: () => reads };
}

describe('the score of a rectangle', () => {
  it('is bit-identical to the mean of its pixels in order', () => {
    let found = 0;
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 1000 }), (rects, salt) => {
        const noise = (x: number, y: number): number => (((x * 7919 + y * 104729) * salt) % 1000) / 2000;
        const map = mapOf(SIDE, SIDE, (x, y) => (rects.some((rect) => isIn(x, y, rect)) ? 0.4 : -0.3) + noise(x, y));
        for (const { rect, score } of textRegions(map, SIDE, SIDE, ALL)) {
          found++;
          expect(score).toBe(plainMean(map, SIDE, rect));
        }
      }),
      { numRuns: 30 },
    );
    expect(found).toBeGreaterThan(30);
  });
});

describe('a map without text', () => {
  const side = 320;

  it('of nested corners is not read again for each of them', () => {
    const { map, reads } = counted(mapOf(side, side, (x, y) => (Math.min(x, y) % 2 === 0 ? 0.9 : 0)));
    textRegions(map, side, side, PADDLE_OPTIONS);
    expect(reads()).toBeLessThan(30 * map.length);
  });

  it('full of dots has no more regions than a page', () => {
    const dots = mapOf(side, side, (x, y) => (x % 6 < 4 && y % 6 < 4 ? 0.9 : 0));
    for (const options of [undefined, PADDLE_OPTIONS])
      expect(textRegions(dots, side, side, options)).toHaveLength(2000);
  });

  it('full of specks hides no text', () => {
    const map = mapOf(side, side, (x, y) =>
      y < 280 ? Number(x % 2 === 0 && y % 2 === 0) : Number(y > 290 && y < 310),
    );
    for (const options of [undefined, PADDLE_OPTIONS]) expect(textRegions(map, side, side, options)).toHaveLength(1);
  });
});
