import { describe, expect, it } from '@jest/globals';
import { firstReaching, lanesOf, neighbour, segmentAt, type Lane } from './lanes.js';
import type { Segment } from './segments.js';

const segment = (module: string, label: string, start: number, end: number): Segment => ({
  ...{ index: start, module, label, text: null, start, end, frameStart: null, frameEnd: null },
  ...{ tcStart: '', source: '', confidence: null, boxes: [] },
});

it('lanes are people first, then the longest of each kind, whatever the order of the results', () => {
  const lanes = lanesOf([
    ...[segment('own_module', 'x', 0, 9), segment('face_recognition', 'Ada', 5, 6)],
    ...[segment('face_recognition', 'Bob', 0, 4), segment('face_recognition', 'Ada', 1, 2)],
  ]);
  expect(lanes.map(({ label, total }) => [label, total])).toEqual([
    ['Bob', 4],
    ['Ada', 2],
    ['x', 9],
  ]);
  expect(lanes[1]?.segments.map(({ start }) => start)).toEqual([1, 5]);
});

describe('a lane', () => {
  const found = [segment('m', 'a', 0, 100), segment('m', 'a', 10, 12), segment('m', 'a', 40, 42)];
  const [lane] = lanesOf(found) as [Lane];

  it('a long segment is in sight after shorter ones that began later', () => {
    expect(firstReaching(lane, 50)).toBe(0);
    expect(firstReaching(lane, 101)).toBe(3);
  });

  it('of segments that overlap the last that began is meant', () => {
    expect(segmentAt(lane, 11, 0.5)?.start).toBe(10);
    expect(segmentAt(lane, 20, 0.5)?.start).toBe(0);
    expect(segmentAt(lane, 100.4, 0.5)?.start).toBe(0);
    expect(segmentAt(lane, 102, 0.5)).toBeNull();
  });

  it('the next and the previous appearance are those that start nearest', () => {
    expect(neighbour(found, 10, 1)?.start).toBe(40);
    expect(neighbour(found, 10, -1)?.start).toBe(0);
    expect([neighbour(found, 40, 1), neighbour(found, 0, -1)]).toEqual([null, null]);
  });
});
