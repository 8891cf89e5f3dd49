import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

describe('a fair queue', () => {
  it('runs one task after the other, round robin among owners', async () => {
    const queue = new FairQueue();
    const ended: string[] = [];
    let running = 0;
    const run = (owner: string, name: string) =>
      queue.run(owner, async () => {
        expect(++running).toBe(1);
        await sleep(1);
        running -= 1;
        ended.push(name);
        return name;
      });
    const given = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1')];
    expect(await Promise.all(given)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
    expect(ended).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('goes on after a task that failed', async () => {
    const queue = new FairQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('Not this one.')));
    const next = queue.run('a', async () => 'next');
    await expect(failed).rejects.toThrow('Not this one.');
    expect(await next).toBe('next');
  });

  it('refuses the task that runs and those that wait, and takes others afterwards', async () => {
    const queue = new FairQueue();
    let isOver = false;
    const running = queue.run('a', async (signal) => {
      await sleep(20);
      isOver = signal.aborted;
    });
    const waiting = queue.run('a', async () => 'never');
    const refused = Promise.allSettled([running, waiting]);
    queue.refuse(new Error('The end.'));
    expect(await refused).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'The end.' } }));
    expect(await queue.run('a', async () => 'later')).toBe('later');
    await sleep(40);
    expect(isOver).toBe(true);
  });
});
