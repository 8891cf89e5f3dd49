import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExclusiveGate } from './exclusive-gate.js';

describe('ExclusiveGate', () => {
  it('lets nothing run beside work that has to run alone, and runs everything in the end', async () => {
    const visits = fc.array(
      fc.record({ alone: fc.boolean(), begins: fc.nat(4), takes: fc.nat(4), fails: fc.boolean() }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(visits, async (plan) => {
        const gate = new ExclusiveGate();
        const inside = new Set<{ alone: boolean }>();
        let most = 0;
        const outcomes = await Promise.allSettled(
          plan.map(async (visit) => {
            await sleep(visit.begins);
            return gate.run(visit.alone, async () => {
              inside.add(visit);
              most = Math.max(most, inside.size);
              if ([...inside].some((other) => other.alone)) expect(inside.size).toBe(1);
              await sleep(visit.takes);
              inside.delete(visit);
              if (visit.fails) throw new Error('as planned');
            });
          }),
        );
        expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(
          plan.filter(({ fails }) => fails).length,
        );
        expect(inside.size).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('lets other work run together', async () => {
    const gate = new ExclusiveGate();
    let together = 0;
    let most = 0;
    const visit = () =>
      gate.run(false, async () => {
        most = Math.max(most, ++together);
        await sleep(5);
        together--;
      });
    await Promise.all([visit(), visit(), visit()]);
    expect(most).toBe(3);
  });
});
