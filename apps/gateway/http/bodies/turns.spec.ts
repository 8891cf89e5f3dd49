import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const bounds = { atOnce: 2, waiting: 2, message: 'Too many.' };

describe('turns', () => {
  it('are taken in order, a few at a time, by each owner apart', async () => {
    const turns = new Turns(bounds);
    const begun: string[] = [];
    const take = async (owner: string, name: string): Promise<() => void> => {
      const end = await turns.take(owner);
      begun.push(name);
      return end;
    };
    const first = await take('a', 'a1');
    await take('a', 'a2');
    const third = take('a', 'a3');
    const fourth = take('a', 'a4');
    await expect(turns.take('a')).rejects.toMatchObject({ code: 'RATE_LIMITED', message: 'Too many.' });
    await take('b', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    first();
    (await third)();
    await fourth;
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('end with the work, whatever comes of it', async () => {
    const turns = new Turns({ ...bounds, atOnce: 1, waiting: 0 });
    expect(await turns.run('a', () => Promise.resolve(1))).toBe(1);
    await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const fails = (): Promise<never> => {
      throw new Error('at once');
    };
    await expect(turns.run('a', fails)).rejects.toThrow('at once');
    expect(await turns.run('a', () => Promise.resolve(2))).toBe(2);
  });
});
