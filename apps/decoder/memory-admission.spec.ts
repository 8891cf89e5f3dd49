import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryAdmission } from './memory-admission.js';

describe('admission by memory', () => {
  /** @hardening overload: Decoding takes more memory than there is */
  it('never exceeds its budget, except for a single larger request, and admits all in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 150 }), { maxLength: 30 }), async (sizes) => {
        const admission = new MemoryAdmission(100);
        let used = 0;
        const order: number[] = [];
        await Promise.all(
          sizes.map((size, i) =>
            admission.admit(size, async () => {
              order.push(i);
              used += size;
              expect(used === size || used <= 100).toBe(true);
              await turn();
              used -= size;
            }),
          ),
        );
        expect(order).toEqual(sizes.map((_, i) => i));
      }),
      { numRuns: 50 },
    );
  });

  it('releases the memory of failed work, and lets nobody wait behind aborted work', async () => {
    const admission = new MemoryAdmission(100);
    await expect(admission.admit(100, () => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    let end = (): void => undefined;
    const first = admission.admit(60, () => new Promise<void>((resolve) => (end = resolve)));
    const controller = new AbortController();
    const second = admission.admit(60, () => Promise.resolve('second'), controller.signal);
    const third = admission.admit(40, () => Promise.resolve('third'));
    controller.abort(new Error('deleted'));
    await expect(second).rejects.toThrow('deleted');
    expect(await third).toBe('third');
    end();
    await first;
    await expect(admission.admit(1, () => Promise.resolve(), AbortSignal.abort(new Error('late')))).rejects.toThrow(
      'late',
    );
  });
});
