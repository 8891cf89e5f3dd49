import { describe, expect, it } from '@jest/globals';
import { compareCaptions } from './compare.js';
import type { CaptionObservations } from './observations.js';

const picture = { key: 'a', width: 1, height: 1 };
const said = (...texts: string[]): CaptionObservations => ({
  sampled: texts.map((_, at) => ({ frame: at, time: at })),
  captions: texts.flatMap((text, at) =>
    text === '' ? [] : [{ text, confidence: 0.4, from: at, to: at, frame: at, thumbnail: picture, picture }],
  ),
});

describe("the comparison of two versions' descriptions", () => {
  it('matches nearly equal words, and counts without revealing the sentences', () => {
    const ours = said('A man rides a bicycle.', 'a red car on a street', '');
    const theirs = said('a man riding a bicycle', 'a red bus', 'two dogs');
    const { labels, differences, pictures } = compareCaptions(ours, theirs);
    expect([pictures, [...labels]]).toEqual([3, [['caption', { both: 1, stable: 1, candidate: 2 }]]]);
    expect(differences.map(({ frame }) => frame)).toEqual([1, 2]);
  });
});
