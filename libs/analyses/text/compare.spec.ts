import { describe, expect, it } from '@jest/globals';
import { compareText } from './compare.js';
import type { TextObservations } from './observations.js';

const corners = (x: number) => [x, 0.7, x + 0.2, 0.7, x + 0.2, 0.8, x, 0.8];
const read = (...lines: [text: string, x: number, confidence?: number][]): TextObservations => ({
  sampled: [{ frame: 0, time: 0 }],
  tracks: lines.map(([text, x, confidence = 0.9], id) => ({
    ...{ id, text, confidence, size: 20, steadiness: 1, movement: 0, thumbnail: null, keyFrame: null },
    sightings: [{ frame: 0, time: 0, corners: corners(x), score: 0.9 }],
  })),
});

describe("the comparison of two versions' readings", () => {
  it('matches the same text in the same place, and counts without revealing it', () => {
    const comparison = compareText(read(['Ada', 0.1], ['LIVE', 0.6]), read(['Ada', 0.12], ['L1VE', 0.6]));
    expect([...comparison.labels]).toEqual([['text', { both: 1, stable: 1, candidate: 1 }]]);
    expect(comparison.differences[0]).toMatchObject({ frame: 0, difference: 1.8, stable: [{}, { label: 'LIVE' }] });
  });

  it('reports no difference where only one was unsure, or both read the same words', () => {
    expect(compareText(read(['Ada', 0.1]), read(['Ada', 0.1], ['x', 0.6, 0.5])).differences).toEqual([]);
    expect(compareText(read(['Ada', 0.1]), read(['Ada', 0.7])).differences).toHaveLength(1);
  });
});
