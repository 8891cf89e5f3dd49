import { describe, expect, it } from '@jest/globals';
import { OneAtATime } from './one-at-a-time.js';

/** Runs that end when they are told to. */
function held() {
  const begun: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const reads = new OneAtATime(
    () => new Promise<void>((resolve, reject) => void begun.push({ resolve: () => resolve(), reject })),
  );
  return { begun, reads };
}

describe('one at a time', () => {
  it('runs once more for all that was asked meanwhile, and each call waits for a run that began after it', async () => {
    const { begun, reads } = held();
    const over: string[] = [];
    const later: Promise<unknown>[] = [];
    const ask = (): void => void later.push(reads.run().then(() => over.push('later')));
    const first = reads.run().then(() => {
      over.push('first');
      // Between the end of one run and the beginning of the next.
      ask();
    });
    ask();
    ask();
    expect([begun.length, reads.isRunning]).toEqual([1, true]);
    begun[0]?.resolve();
    await first;
    while (begun.length < 2) await Promise.resolve();
    expect(over).toEqual(['first']);
    begun[1]?.resolve();
    await Promise.all(later);
    expect([begun.length, over, reads.isRunning]).toEqual([2, ['first', 'later', 'later', 'later'], false]);
    void reads.run();
    expect(begun.length).toBe(3);
  });

  it('goes on after a run that failed', async () => {
    const { begun, reads } = held();
    const first = reads.run();
    const second = reads.run();
    begun[0]?.reject(new Error('no answer'));
    await expect(first).rejects.toThrow('no answer');
    while (begun.length < 2) await Promise.resolve();
    begun[1]?.resolve();
    await second;
    expect(reads.isRunning).toBe(false);
  });
});
