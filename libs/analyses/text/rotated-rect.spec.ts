import { describe, expect, it } from '@jest/globals';
import type { Point } from '@adit/inference';
import fc from 'fast-check';
import { corners, minAreaRect, unclip, type RotatedRect } from './rotated-rect.js';
import { textRegions } from './text-regions.js';

const rects: fc.Arbitrary<RotatedRect> = fc.record({
  centre: fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -200, max: 200 })),
  width: fc.integer({ min: 40, max: 300 }),
  height: fc.integer({ min: 5, max: 30 }),
  angle: fc.double({ min: -0.7, max: 0.7, noNaN: true }),
});

describe('the smallest rectangle', () => {
  it('around the corners of a rectangle is that rectangle', () => {
    fc.assert(
      fc.property(rects, (rect) => {
        const found = minAreaRect(corners(rect));
        expect(found.width).toBeCloseTo(rect.width, 4);
        expect(found.height).toBeCloseTo(rect.height, 4);
        expect(found.angle).toBeCloseTo(rect.angle, 4);
        expect(found.centre[0]).toBeCloseTo(rect.centre[0], 4);
      }),
    );
  });

  it('contains every point and is no larger than the upright one', () => {
    const point: fc.Arbitrary<Point> = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), (points) => {
        const { centre, width, height, angle } = minAreaRect(points);
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        for (const [x, y] of points) {
          const [dx, dy] = [x - centre[0], y - centre[1]];
          expect(Math.abs(dx * cos + dy * sin)).toBeLessThanOrEqual(width / 2 + 1e-6);
          expect(Math.abs(dy * cos - dx * sin)).toBeLessThanOrEqual(height / 2 + 1e-6);
        }
        const extent = (axis: 0 | 1): number =>
          Math.max(...points.map((p) => p[axis])) - Math.min(...points.map((p) => p[axis]));
        expect(width * height).toBeLessThanOrEqual(extent(0) * extent(1) + 1e-6);
      }),
    );
  });

  it('grows by area · ratio / perimeter on every side', () => {
    const grown = unclip({ centre: [0, 0], width: 100, height: 10, angle: 0.1 }, 1.6);
    const distance = (100 * 10 * 1.6) / 220;
    expect(grown).toEqual({ centre: [0, 0], width: 100 + 2 * distance, height: 10 + 2 * distance, angle: 0.1 });
  });
});

describe('regions of text', () => {
  it('are the original ones, grown, whatever their angle', () => {
    fc.assert(
      fc.property(fc.double({ min: -0.4, max: 0.4, noNaN: true }), fc.integer({ min: 8, max: 20 }), (angle, height) => {
        const planted: RotatedRect = { centre: [100, 60], width: 120, height, angle };
        const map = new Float32Array(200 * 120);
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        for (let i = 0; i < map.length; i++) {
          const [dx, dy] = [(i % 200) + 0.5 - 100, Math.floor(i / 200) + 0.5 - 60];
          const inside = Math.abs(dx * cos + dy * sin) <= 60 && Math.abs(dy * cos - dx * sin) <= height / 2;
          map[i] = inside ? 0.9 : 0.1;
        }
        const regions = textRegions(map, 200, 120);
        expect(regions).toHaveLength(1);
        const [{ rect, score }] = regions as [(typeof regions)[number]];
        const wanted = unclip(planted, 1.6);
        expect(score).toBeCloseTo(0.9, 4);
        expect(Math.abs(rect.width - wanted.width)).toBeLessThan(4);
        expect(Math.abs(rect.height - wanted.height)).toBeLessThan(5);
        expect(Math.abs(rect.angle - angle)).toBeLessThan(0.06);
      }),
      { numRuns: 20 },
    );
  });

  it('exclude unlikely and tiny ones', () => {
    const map = new Float32Array(64 * 64);
    map.fill(0.4, 64 * 10, 64 * 20);
    map.fill(0.9, 64 * 40 + 5, 64 * 40 + 30);
    expect(textRegions(map, 64, 64)).toEqual([]);
  });
});
