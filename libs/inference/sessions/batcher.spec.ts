import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Batcher } from './batcher.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('Batcher', () => {
  it('gives every caller its own answer, never exceeds the batch, never mixes keys, and fails only bad rows', async () => {
    const rows = fc.array(
      fc.record({
        value: fc.integer(),
        shape: fc.integer({ min: 0, max: 2 }),
        bad: fc.boolean(),
        wait: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 6 }), async (calls, maxBatch) => {
        const sizes: number[] = [];
        let running = 0;
        const batcher = new Batcher<(typeof calls)[number], number>(
          async (batch) => {
            expect(++running).toBe(1);
            expect(new Set(batch.map((row) => row.shape)).size).toBe(1);
            await Promise.resolve();
            running--;
            if (batch.some((row) => row.bad)) throw new Error('bad row');
            return batch.map((row) => row.value * 2);
          },
          { maxBatch, key: (row) => String(row.shape), onBatch: (size) => sizes.push(size) },
        );
        const answers = await Promise.allSettled(
          calls.map(async (call) => {
            for (let i = 0; i < call.wait; i++) await Promise.resolve();
            return batcher.run(call);
          }),
        );
        answers.forEach((answer, i) => {
          if (calls[i]!.bad) expect(answer.status).toBe('rejected');
          else expect(answer).toEqual({ status: 'fulfilled', value: calls[i]!.value * 2 });
        });
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(maxBatch);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(calls.length);
      }),
      { numRuns: 200 },
    );
  });

  it('runs a lone row at once and joins those that arrive while it runs', async () => {
    const sizes: number[] = [];
    const run = async (batch: number[]): Promise<number[]> => {
      await pause(5);
      return batch;
    };
    const batcher = new Batcher(run, { maxBatch: 8, onBatch: (size) => sizes.push(size) });
    const first = batcher.run(0);
    await pause(1);
    await Promise.all([first, ...[1, 2, 3, 4, 5].map((row) => batcher.run(row))]);
    expect(sizes).toEqual([1, 5]);
  });

  it('waits for more rows when configured to', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher(async (batch: number[]) => batch, {
      maxBatch: 4,
      maxDelayMs: 20,
      onBatch: (size) => sizes.push(size),
    });
    const first = batcher.run(1);
    await pause(2);
    await Promise.all([first, batcher.run(2)]);
    expect(sizes).toEqual([2]);
  });

  it('keeps the configured number of runs going, and no more', async () => {
    let running = 0;
    let most = 0;
    const run = async (rows: number[]): Promise<number[]> => {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 2));
      running--;
      return rows;
    };
    const batcher = new Batcher<number, number>(run, { maxBatch: 1, concurrency: 3 });
    const rows = Array.from({ length: 10 }, (_, i) => i);
    expect(await Promise.all(rows.map((row) => batcher.run(row)))).toEqual(rows);
    expect(most).toBe(3);
  });
});
