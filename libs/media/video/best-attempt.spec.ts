import { describe, expect, it } from '@jest/globals';
import { AditError } from '@adit/contracts';
import { bestAttempt, type Landing } from './best-attempt.js';

/**
 * Runs attempts that start at the given seconds before the chunk; each lands and shows as many pictures as the table
 * says.
 */
async function tried(attempts: { landing: Landing; count: number; error?: Error }[], signal?: AbortSignal) {
  const starts: number[] = [];
  const best = await bestAttempt(
    attempts.map((_, i) => i),
    0,
    async (start) => {
      starts.push(start);
      const { error, ...outcome } = attempts[start]!;
      if (error) throw error;
      return { ...outcome, start };
    },
    signal,
  );
  return { starts, best: best?.start };
}

describe('bestAttempt', () => {
  it('takes the first start that lands early enough, whatever is missing behind it', async () => {
    expect(
      await tried([
        { landing: -5, count: 3 },
        { landing: -10, count: 9 },
      ]),
    ).toEqual({ starts: [0], best: 0 });
  });

  it('goes further back when a seek landed late', async () => {
    expect(
      await tried([
        { landing: 4, count: 3 },
        { landing: -8, count: 9 },
      ]),
    ).toEqual({ starts: [0, 1], best: 1 });
    expect(
      await tried([
        { landing: 'nowhere', count: 0 },
        { landing: 'nowhere', count: 0 },
        { landing: -9, count: 2 },
      ]),
    ).toEqual({ starts: [0, 1, 2], best: 2 });
  });

  /** @hardening media: Damage has a film decoded from its start */
  it('takes pictures that two starts miss for damage, and does not decode from the beginning for them', async () => {
    const attempts = [
      { landing: 4, count: 3 },
      { landing: 4, count: 3 },
      { landing: -900, count: 3 },
    ];
    expect(await tried(attempts)).toEqual({ starts: [0, 1], best: 0 });
  });

  it('never uses pictures of a start that is known to be wrong', async () => {
    expect(
      await tried([
        { landing: 'elsewhere', count: 90 },
        { landing: -900, count: 3 },
      ]),
    ).toEqual({
      starts: [0, 1],
      best: 1,
    });
  });

  it('keeps the decoded pictures when a further attempt takes too long', async () => {
    const error = new AditError('LIMIT_EXCEEDED', 'Decoding took longer than 600 s.');
    expect(
      await tried([
        { landing: 4, count: 3 },
        { landing: 4, count: 3, error },
      ]),
    ).toEqual({
      starts: [0, 1],
      best: 0,
    });
    await expect(tried([{ landing: 4, count: 3, error }])).rejects.toBe(error);
    await expect(
      tried([
        { landing: 4, count: 0 },
        { landing: 4, count: 0, error },
      ]),
    ).rejects.toBe(error);
    await expect(
      tried(
        [
          { landing: 4, count: 3 },
          { landing: 4, count: 3, error },
        ],
        AbortSignal.abort(),
      ),
    ).rejects.toBe(error);
  });
});
