import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InProcessBus } from './in-process.js';
import type { Subscription } from './port.js';

configureLogging({ level: 'silent' });

const GROUPS = ['one', 'two'] as const;
type Group = (typeof GROUPS)[number];
type Fate = 'well' | 'fails once' | 'always fails' | 'cannot be retried';

type Step =
  | { do: 'publish'; key: string; fate: Fate; slow: boolean }
  | { do: 'join'; group: Group; concurrency: number }
  | { do: 'leave'; group: Group; which: number }
  | { do: 'wait' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      fate: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Fate>('well') },
        { weight: 1, arbitrary: fc.constantFrom<Fate>('fails once', 'always fails', 'cannot be retried') },
      ),
      slow: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      group: fc.constantFrom(...GROUPS),
      concurrency: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('leave' as const), group: fc.constantFrom(...GROUPS), which: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'wait' }) },
);

/** Runs the steps, lets everything end, and returns what each group was given and what it finished. */
async function run(steps: Step[], partitions: number) {
  const bus = new InProcessBus({ partitions, delivery: { maxDeliveries: 3, baseMs: 1, maxMs: 2 } });
  const published: { id: string; key: string; fate: Fate; slow: boolean }[] = [];
  const finished = { one: [] as string[], two: [] as string[] };
  const failed = { one: new Map<string, number>(), two: new Map<string, number>() };
  const members = { one: [] as Subscription[], two: [] as Subscription[] };
  const closing: Promise<void>[] = [];
  const busy = new Set<string>();
  const overlaps: string[] = [];

  const join = async (group: Group, concurrency: number) => {
    const subscription = await bus.subscribe({
      topic: 'chunks.requested',
      group,
      concurrency,
      async handle({ envelope: { id }, key }, { signal }) {
        if (busy.has(`${group} ${key}`)) overlaps.push(id);
        busy.add(`${group} ${key}`);
        try {
          const { fate, slow } = published[Number(id)] ?? { fate: 'well', slow: false };
          if (slow) await sleep(2);
          signal.throwIfAborted();
          const failures = failed[group].get(id) ?? 0;
          if (fate === 'always fails' || (fate === 'fails once' && failures === 0)) {
            failed[group].set(id, failures + 1);
            throw new Error('crashed');
          }
          if (fate === 'cannot be retried') {
            failed[group].set(id, failures + 1);
            throw new AditError('MEDIA_INVALID', 'empty');
          }
          finished[group].push(id);
        } finally {
          busy.delete(`${group} ${key}`);
        }
      },
    });
    members[group].push(subscription);
  };

  for (const group of GROUPS) await join(group, 1);
  for (const next of steps) {
    if (next.do === 'publish') {
      const id = String(published.length);
      published.push({ id, ...next });
      const envelope = { id, jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now', payload: { chunkId: id } };
      await bus.publish([{ topic: 'chunks.requested', key: next.key, envelope }]);
    } else if (next.do === 'join') {
      await join(next.group, next.concurrency);
    } else if (next.do === 'leave') {
      const [leaving] = members[next.group].splice(next.which % Math.max(1, members[next.group].length), 1);
      if (leaving !== undefined) closing.push(leaving.close());
    } else {
      await sleep(1);
    }
  }
  for (const group of GROUPS) if (members[group].length === 0) await join(group, 2);
  await Promise.all(closing);
  const until = Date.now() + 60_000;
  while ((await bus.lag()).some(({ topic, messages }) => topic === 'chunks.requested' && messages > 0)) {
    if (Date.now() > until) throw new Error(`Still waiting: ${JSON.stringify(await bus.lag())}`);
    await sleep(1);
  }
  await bus.close();
  return { published, finished, failed, overlaps };
}

it('whatever joins, leaves and fails: each group handles every message, in the order of its key, or gives it up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), async (steps, partitions) => {
      const { published, finished, failed, overlaps } = await run(steps, partitions);
      expect(overlaps).toEqual([]);
      for (const group of GROUPS) {
        for (const key of ['a', 'b', 'c', 'd']) {
          const ofKey = published.filter((message) => message.key === key);
          const expected = ofKey.filter(({ fate }) => fate === 'well' || fate === 'fails once').map(({ id }) => id);
          expect(finished[group].filter((id) => published[Number(id)]?.key === key)).toEqual(expected);
        }
        for (const { id, fate } of published) {
          const failures = failed[group].get(id) ?? 0;
          if (fate === 'well') expect(failures).toBe(0);
          // A failure while its member leaves is not counted by the bus, so there may be one more.
          else expect(failures).toBeGreaterThanOrEqual(fate === 'always fails' ? 3 : 1);
        }
      }
    }),
    { numRuns: 80 },
  );
});
