import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.js';

const bounds = { concurrency: 2, waiting: 2, message: 'Too many.' };

describe('a limit on what each owner has done at a time', () => {
  it('lets the work of each owner run in order, a few at a time', async () => {
    const limit = new ConcurrencyLimit(bounds);
    const begun: string[] = [];
    const acquire = async (owner: string, name: string): Promise<() => void> => {
      const end = await limit.acquire(owner);
      begun.push(name);
      return end;
    };
    const first = await acquire('a', 'a1');
    await acquire('a', 'a2');
    const third = acquire('a', 'a3');
    const fourth = acquire('a', 'a4');
    await expect(limit.acquire('a')).rejects.toMatchObject({ code: 'RATE_LIMITED', message: 'Too many.' });
    await acquire('b', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    first();
    (await third)();
    await fourth;
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('frees the slot when the work ends or fails', async () => {
    const limit = new ConcurrencyLimit({ ...bounds, concurrency: 1, waiting: 0 });
    expect(await limit.run('a', () => Promise.resolve(1))).toBe(1);
    await expect(limit.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const fails = (): Promise<never> => {
      throw new Error('at once');
    };
    await expect(limit.run('a', fails)).rejects.toThrow('at once');
    expect(await limit.run('a', () => Promise.resolve(2))).toBe(2);
  });
});
