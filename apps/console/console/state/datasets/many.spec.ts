import { describe, expect, it } from '@jest/globals';
import { forEach } from './many.js';

describe('doing one thing many times', () => {
  it('goes on where one fails, few at a time, and says which and how many are over', async () => {
    let running = 0;
    let most = 0;
    const told: number[] = [];
    const act = async (item: number): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, item % 3));
      running -= 1;
      if (item % 4 === 1) throw new Error(`not ${item}`);
    };
    const items = Array.from({ length: 12 }, (_, at) => at);
    const { done, failed } = await forEach(items, act, { atOnce: 3, tell: (over) => told.push(over) });
    expect([done, failed.map(({ at }) => at), most]).toEqual([9, [1, 5, 9], 3]);
    expect(failed[0]?.error).toEqual(new Error('not 1'));
    expect(told).toEqual(items.map((at) => at + 1));
  });

  it('does nothing for nothing', async () => {
    expect(await forEach([], () => Promise.reject(new Error('never')))).toEqual({ done: 0, failed: [] });
  });
});
