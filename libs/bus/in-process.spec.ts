import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { afterEach, describe, expect, it } from '@jest/globals';
import { busConformance } from './conformance.js';
import { within } from './testing/within.js';
import { InProcessBus } from './in-process.js';
import type { InProcessBusOptions } from './in-process.js';
import { partitionOf } from './partition-log.js';

configureLogging({ level: 'silent' });

busConformance('in process', {
  create: async ({ delivery, capacity }) =>
    new InProcessBus({ delivery, closeGraceMs: 5_000, ...(capacity !== undefined && { capacity }) }),
  holdsInMemory: true,
});

describe('in-process bus', () => {
  let bus: InProcessBus;
  afterEach(() => bus.close());

  const open = (options: InProcessBusOptions = {}) => {
    bus = new InProcessBus({ delivery: { baseMs: 1, maxMs: 5 }, ...options });
  };
  const publish = (...ids: string[]) =>
    bus.publish(
      ids.map((chunkId) => ({
        topic: 'chunks.requested',
        key: 'source-1',
        envelope: { id: chunkId, jobId: 'j', traceparent: null, attempt: 1, occurredAt: 'now', payload: { chunkId } },
      })),
    );
  const member = async (group: string, handle: (id: string) => Promise<void> = async () => undefined) => {
    const seen: string[] = [];
    const subscription = await bus.subscribe({
      topic: 'chunks.requested',
      group,
      concurrency: 1,
      async handle({ envelope }) {
        seen.push(envelope.id);
        await handle(envelope.id);
      },
    });
    return { seen, subscription };
  };

  it('drops the oldest messages of a topic that nobody reads instead of holding up its publishers', async () => {
    open({ partitions: 1, capacity: 3 });
    await publish('1', '2', '3', '4', '5');
    const { seen } = await member('late');
    await within(60_000, () => expect(seen).toEqual(['3', '4', '5']));
  });

  it('lets publishers go on when the last member they wait for leaves, even if its handler still ends well', async () => {
    open({ partitions: 1, capacity: 1 });
    let finish = () => undefined as void;
    const leaving = await member('a', () => new Promise((resolve) => (finish = resolve)));
    await publish('1');
    await within(60_000, () => expect(leaving.seen).toEqual(['1']));
    const waiting = publish('2');
    const closing = leaving.subscription.close();
    await waiting;
    finish();
    await closing;
    const next = await member('a');
    await within(60_000, () => expect([leaving.seen, next.seen]).toEqual([['1'], ['2']]));
  });

  it('gives a message to another member when a closing handler hangs beyond its grace', async () => {
    open({ closeGraceMs: 100 });
    const hanging = await member('a', () => new Promise(() => undefined));
    await publish('1');
    await within(60_000, () => expect(hanging.seen).toEqual(['1']));
    const closing = hanging.subscription.close();
    const other = await member('a');
    await sleep(10);
    expect(other.seen).toEqual([]);
    await closing;
    await within(60_000, () => expect(other.seen).toEqual(['1']));
  });

  it('forgets what all groups have handled', async () => {
    open();
    const first = await member('first');
    await publish('1', '2');
    await within(60_000, async () => expect((await bus.lag())[0]?.messages).toBe(0));
    expect(first.seen).toEqual(['1', '2']);
    const second = await member('second');
    await publish('3');
    await within(60_000, () => expect(second.seen).toEqual(['3']));
  });

  it('gives up a dead letter that cannot be handled, without letters of its own', async () => {
    open();
    let letters = 0;
    await bus.subscribe({
      topic: 'chunks.requested.dead-letters',
      group: 'undertaker',
      concurrency: 1,
      async handle() {
        letters += 1;
        throw new AditError('INTERNAL', 'cannot be buried');
      },
    });
    await member('a', async () => {
      throw new AditError('MEDIA_INVALID', 'empty');
    });
    await publish('1');
    await within(60_000, async () => {
      expect(letters).toBe(3);
      expect(await bus.lag()).toEqual([
        { topic: 'chunks.requested.dead-letters', group: 'undertaker', messages: 0 },
        { topic: 'chunks.requested', group: 'a', messages: 0 },
      ]);
    });
  });

  it('spreads keys evenly over the partitions, always the same way', () => {
    open();
    const counts = new Array<number>(16).fill(0);
    for (let n = 0; n < 1600; n++) {
      const partition = partitionOf(`01890000-0000-7000-8000-${String(n).padStart(12, '0')}`, 16);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(60);
    expect(Math.max(...counts)).toBeLessThan(150);
    expect(['a', 'job-1', 'é'].map((key) => partitionOf(key, 16))).toEqual([3, 13, 7]);
  });
});
