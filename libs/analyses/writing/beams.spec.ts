import { describe, expect, it } from '@jest/globals';
import { searchBeams } from './beams.js';

const [END, A, B, C] = [0, 1, 2, 3];

/**
 * Probabilities of continuations: the second of two openings is a little less likely, but its continuation is certain.
 */
const FOLLOWING: Record<string, number[]> = {
  '': [0.01, 0.55, 0.43, 0.01],
  [`${A}`]: [0.3, 0.2, 0.2, 0.3],
  [`${B}`]: [0.01, 0.01, 0.01, 0.97],
  [`${B},${C}`]: [0.97, 0.01, 0.01, 0.01],
};

/** Runs a search and records the requests, row by row, with each row's origin. */
async function searched(
  beams: number,
  options: Partial<Omit<Parameters<typeof searchBeams>[0], 'beams' | 'next' | 'end'>> = {},
) {
  const asked: { texts: string[]; from: readonly number[] }[] = [];
  const way = await searchBeams({
    beams,
    next: async (ways, from) => {
      asked.push({ texts: ways.map(({ tokens }) => tokens.join()), from });
      return ways.map(({ tokens }) =>
        (FOLLOWING[tokens.join()] ?? [0.97, 0.01, 0.01, 0.01])
          .map((share, token) => ({ token, logProbability: Math.log(share) }))
          .sort((a, b) => b.logProbability - a.logProbability)
          .slice(0, beams === 1 ? 1 : beams + 1),
      );
    },
    end: END,
    isOver: () => false,
    most: 6,
    ...options,
  });
  return { way, asked };
}

describe('the beam search', () => {
  it('takes the likeliest token each time with one beam', async () => {
    const { way, asked } = await searched(1);
    expect(way.tokens).toEqual([A]);
    expect(asked.map(({ from }) => from)).toEqual([[], [0]]);
  });

  it('finds a likelier text with a less likely opening, and the probability of each of its tokens', async () => {
    const { way, asked } = await searched(2);
    expect(way.tokens).toEqual([B, C]);
    expect(way.logProbabilities.map(Math.exp)).toEqual([expect.closeTo(0.43, 5), expect.closeTo(0.97, 5)]);
    expect(way.sum).toBeCloseTo(Math.log(0.43 * 0.97 * 0.97), 5);
    // Both openings continue the single row before, the likelier one first.
    expect(asked.slice(0, 2)).toEqual([
      { texts: [''], from: [] },
      { texts: [`${A}`, `${B}`], from: [0, 0] },
    ]);
  });

  it('drops texts that are far less likely than the likeliest', async () => {
    // The second opening is 0.25 less likely.
    const [narrow, wide] = [await searched(2, { within: 0.2 }), await searched(2, { within: 0.3 })];
    expect([narrow, wide].map(({ asked }) => asked[1]?.texts)).toEqual([[`${A}`], [`${A}`, `${B}`]]);
    expect([narrow, wide].map(({ way }) => way.tokens)).toEqual([
      [A, C],
      [B, C],
    ]);
  });

  it('follows only the likeliest of equivalent texts', async () => {
    const { asked } = await searched(2, {
      sayingOf: ({ tokens }) => tokens.map((token) => (token === B ? A : token)).join(),
    });
    expect(asked[1]?.texts).toEqual([`${A}`]);
    expect((await searched(2)).asked[1]?.texts).toEqual([`${A}`, `${B}`]);
  });

  it('ends where a text is over, and with its best text at the length limit', async () => {
    expect((await searched(2, { isOver: ({ tokens }) => tokens.length === 1 })).way.tokens).toEqual([A]);
    expect((await searched(2, { most: 1 })).way.tokens).toEqual([A]);
    expect((await searched(2, { most: 0 })).way.tokens).toEqual([]);
  });
});
