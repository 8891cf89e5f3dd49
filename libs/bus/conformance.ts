import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, elementAt } from '@adit/contracts';
import type { Topic } from '@adit/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeadLetter, deadLettersOf } from './dead-letter.js';
import type { DeliveryPolicy } from './retry-delay.js';
import type { Bus, DeliveryContext, OutgoingMessage, SubscriptionOptions } from './port.js';
import { dataOf, event, numberOf, numbers, range, type Seen } from './testing/conformance-events.js';
import { within } from './testing/within.js';

interface ConformanceBusOptions {
  /** Fresh for each test, for drivers whose topics outlive the bus. */
  topicPrefix: string;
  delivery: Partial<DeliveryPolicy>;
  /** Messages that a topic may hold, for drivers that hold them in memory. */
  capacity?: number;
}

interface BusConformance {
  create(options: ConformanceBusOptions): Promise<Bus>;
  /** Milliseconds within which what has to happen happens: joins, rebalances, deliveries. */
  patienceMs?: number;
  /** Milliseconds of silence after which nothing more is expected. */
  quietMs?: number;
  /** Tells whether publishers wait for slow readers; a driver with a log on disk has room instead. */
  holdsInMemory: boolean;
}

const TOPIC = 'events.raised';
const QUICK: Partial<DeliveryPolicy> = { maxDeliveries: 3, baseMs: 5, maxMs: 20 };

/**
 * Tests that every driver of the bus has to pass. They use only topics of the contracts, under a prefix of its own for
 * each test.
 */
export function busConformance(name: string, driver: BusConformance): void {
  const patienceMs = driver.patienceMs ?? 60_000;
  const quietMs = driver.quietMs ?? 60;

  describe(`bus: ${name}`, () => {
    let bus: Bus;
    const open = (options: Partial<ConformanceBusOptions> = {}) =>
      driver.create({ topicPrefix: `t${randomUUID().slice(0, 8)}.`, delivery: QUICK, ...options });
    const eventually = (assertion: () => void | Promise<void>) => within(patienceMs, assertion);
    const reopen = async (options: Partial<ConformanceBusOptions>) => {
      await bus.close();
      bus = await open(options);
    };
    /** Subscribes a member that remembers what it was given. */
    const listen = async (
      group: string,
      handle: (message: Seen, context: DeliveryContext) => Promise<void> | void = () => undefined,
      options: Partial<SubscriptionOptions> = {},
    ) => {
      const seen: Seen[] = [];
      const subscription = await bus.subscribe({
        topic: TOPIC,
        group,
        concurrency: 4,
        ...options,
        async handle(received, context) {
          const message = { ...received, n: numberOf(received), delivery: context.delivery, at: performance.now() };
          seen.push(message);
          await handle(message, context);
        },
      });
      return { seen, subscription };
    };

    beforeEach(async () => {
      bus = await open();
    });
    afterEach(() => bus.close());

    it('keeps the order within each key', async () => {
      const { seen } = await listen('a', ({ n }) => sleep(n % 3));
      const messages = range(120).map((n) => event(`key-${n % 5}`, n));
      await bus.publish(messages.slice(0, 70));
      await bus.publish(messages.slice(70));
      await eventually(() => expect(seen).toHaveLength(120));
      for (const key of range(5)) {
        const order = seen.filter((message) => message.key === `key-${key}`).map(({ n }) => n);
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    });

    it('works on one message of a key at a time and on at most `concurrency` partitions', async () => {
      const busy = new Map<string, number>();
      let together = 0;
      let most = 0;
      const { seen } = await listen(
        'a',
        async ({ key }) => {
          expect(busy.get(key) ?? 0).toBe(0);
          busy.set(key, 1);
          most = Math.max(most, ++together);
          await sleep(5);
          together -= 1;
          busy.set(key, 0);
        },
        { concurrency: 3 },
      );
      await bus.publish(range(60).map((n) => event(`key-${n % 20}`, n)));
      await eventually(() => expect(seen).toHaveLength(60));
      expect(seen.every(({ delivery }) => delivery === 1)).toBe(true);
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(3);
    });

    it('takes the oldest message first, whatever its partition', async () => {
      const count = 24;
      for (const n of range(count)) {
        await bus.publish([event(`key-${n}`, n)]);
        await sleep(3);
      }
      // Messages arrive bit by bit when the member comes: the first one waits for the others.
      const arrival = sleep(Math.min(1_000, patienceMs / 4));
      const { seen } = await listen('a', () => arrival, { concurrency: 1 });
      await eventually(() => expect(seen).toHaveLength(count));
      const [first, ...others] = seen.map(({ n }) => n);
      expect(others).toEqual(range(count).filter((n) => n !== first));
    });

    it('gives every group every message', async () => {
      const one = await listen('one');
      const two = await listen('two');
      await bus.publish(range(20).map((n) => event(`key-${n}`, n)));
      await eventually(() => {
        expect(numbers(one.seen)).toEqual(range(20));
        expect(numbers(two.seen)).toEqual(range(20));
      });
    });

    it('shares the messages of a group among its members', async () => {
      const one = await listen('shared');
      const two = await listen('shared');
      let published = 0;
      await eventually(async () => {
        await bus.publish(range(20).map((n) => event(`key-${n}`, published + n)));
        published += 20;
        await sleep(quietMs);
        expect(one.seen.length).toBeGreaterThan(0);
        expect(two.seen.length).toBeGreaterThan(0);
      });
      await eventually(() => expect(numbers([...one.seen, ...two.seen])).toEqual(range(published)));
    });

    it('gives a new group what was published before it came', async () => {
      await bus.publish(range(5).map((n) => event('key', n)));
      const { seen } = await listen('late');
      await eventually(() => expect(numbers(seen)).toEqual(range(5)));
    });

    it('gives an ephemeral group only what is published after it came', async () => {
      await bus.publish(range(5).map((n) => event('key', n)));
      const reader = await listen('reader');
      await eventually(() => expect(reader.seen).toHaveLength(5));
      const { seen, subscription } = await listen('ear', undefined, { ephemeral: true });
      for (let n = 5; seen.length === 0; n++) {
        await bus.publish([event('key', n)]);
        await sleep(20);
      }
      expect(seen[0]?.n).toBeGreaterThanOrEqual(5);
      await subscription.close();
      const again = await listen('ear', undefined, { ephemeral: true });
      await bus.publish([event('key', 1_000)]);
      await eventually(async () => {
        await bus.publish([event('key', 1_001)]);
        expect(again.seen.length).toBeGreaterThan(0);
      });
      expect(again.seen[0]?.n).toBeGreaterThanOrEqual(1_000);
    });

    /** @hardening api: Traces and metrics break OpenTelemetry's conventions */
    it('gives each member of an ephemeral group everything, and calls them all by its name', async () => {
      const [one, two] = [
        await listen('ears', undefined, { ephemeral: true }),
        await listen('ears', undefined, { ephemeral: true }),
      ];
      for (let n = 0; one.seen.length === 0 || two.seen.length === 0; n++) {
        await bus.publish([event('key', n)]);
        await sleep(20);
      }
      const last = 1_000_000;
      await bus.publish([event('key', last)]);
      await eventually(() => expect([numbers(one.seen).at(-1), numbers(two.seen).at(-1)]).toEqual([last, last]));
      expect(new Set((await bus.lag()).map(({ group }) => group))).toEqual(new Set(['ears']));
    });

    it('sends copies: nothing is shared by reference', async () => {
      const message = event('key', 0);
      const publishing = bus.publish([message]);
      message.envelope.payload.data.n = 99;
      await publishing;
      const one = await listen('one', (received) => {
        dataOf(received).n = 77;
      });
      const two = await listen('two');
      await eventually(() => expect([...numbers(one.seen), ...numbers(two.seen)]).toEqual([0, 0]));
      await sleep(quietMs);
      expect(dataOf(elementAt(two.seen, 0)).n).toBe(0);
    });

    it('delivers again what a handler failed on, before the next one of its key', async () => {
      const { seen } = await listen('a', ({ n, delivery }) => {
        if (n === 1 && delivery === 1) throw new Error('crashed');
      });
      await bus.publish(range(3).map((n) => event('key', n)));
      await eventually(() => expect(seen).toHaveLength(4));
      expect(seen.map(({ n, delivery }) => [n, delivery])).toEqual([
        [0, 1],
        [1, 1],
        [1, 2],
        [2, 1],
      ]);
      expect(seen[1]?.envelope.id).toBe(seen[2]?.envelope.id);
    });

    it('waits before it delivers again, longer each time', async () => {
      await reopen({ delivery: { maxDeliveries: 3, baseMs: 100, factor: 2, maxMs: 1_000, jitter: 0 } });
      const { seen } = await listen('a', () => {
        throw new AditError('UNAVAILABLE', 'down');
      });
      await bus.publish([event('key', 0)]);
      await eventually(() => expect(seen).toHaveLength(3));
      const [first = NaN, second = NaN, third = NaN] = seen.map(({ at }) => at);
      expect(second - first).toBeGreaterThanOrEqual(95);
      expect(third - second).toBeGreaterThanOrEqual(195);
    });

    it.each([
      { title: 'after the last delivery', error: new AditError('LIMIT_EXCEEDED', 'it is slow'), deliveries: 3 },
      {
        title: 'at once when it cannot be retried',
        error: new AditError('MEDIA_INVALID', 'it is empty'),
        deliveries: 1,
      },
    ])('gives a message up $title, with the reason', async ({ error, deliveries }) => {
      const letters = await listen('undertaker', undefined, { topic: deadLettersOf(TOPIC) });
      const { seen } = await listen('a', ({ n }) => {
        if (n === 0) throw error;
      });
      const poison = event('key', 0);
      await bus.publish([poison, event('key', 1)]);
      await eventually(() => expect(letters.seen).toHaveLength(1));
      await eventually(() => expect(seen.at(-1)?.n).toBe(1));
      expect(seen.filter(({ n }) => n === 0)).toHaveLength(deliveries);
      const letter = elementAt(letters.seen, 0);
      const { reason, payload } = DeadLetter.parse(letter.envelope.payload);
      expect(reason).toMatchObject({ code: error.code, message: error.message, topic: TOPIC, group: 'a', deliveries });
      expect(Date.parse(reason.failedAt)).toBeGreaterThan(Date.now() - 60_000);
      expect(letter.key).toBe('key');
      expect({ ...letter.envelope, payload }).toEqual(poison.envelope);
    });

    it('never gives a message up for a dependency that is away', async () => {
      await reopen({ delivery: { maxDeliveries: 2, baseMs: 10, factor: 1, maxMs: 10, jitter: 0 } });
      const letters = await listen('undertaker', undefined, { topic: deadLettersOf(TOPIC) });
      const { seen } = await listen('a', ({ delivery }) => {
        if (delivery < 6) throw new AditError('UNAVAILABLE', 'the database does not answer');
      });
      await bus.publish([event('key', 0), event('key', 1)]);
      await eventually(() => expect(seen.at(-1)).toMatchObject({ n: 1, delivery: 6 }));
      expect(seen).toHaveLength(12);
      expect(letters.seen).toEqual([]);
    });

    it('does not hold up other keys while it retries a poisonous message', async () => {
      await reopen({ delivery: { maxDeliveries: 3, baseMs: 300, factor: 1, maxMs: 300, jitter: 0 } });
      const { seen } = await listen('a', ({ key }) => {
        if (key === 'poison') throw new Error('crashed');
      });
      await bus.publish([event('poison', 0), ...range(40).map((n) => event(`key-${n}`, n + 1))]);
      await eventually(() => expect(numbers(seen)).toEqual(range(41)));
      await eventually(() => expect(seen.filter(({ n }) => n === 0)).toHaveLength(3));
      const lastTry = seen.findLast(({ n }) => n === 0)?.at ?? 0;
      // Messages in the poison's partition wait; most are in others.
      expect(seen.filter(({ n, at }) => n > 0 && at < lastTry).length).toBeGreaterThan(20);
    });

    it('hands the unfinished work of a member that closes to another one', async () => {
      const leaving = await listen('a', async (_, { signal }) => {
        // A killed tool looks like a broken film; while closing it is neither failure nor dead letter.
        await sleep(patienceMs * 2, undefined, { signal }).catch(() => {
          throw new AditError('MEDIA_INVALID', 'ffmpeg ended early');
        });
      });
      await bus.publish(range(8).map((n) => event(`key-${n}`, n)));
      await eventually(() => expect(leaving.seen.length).toBeGreaterThan(0));
      const closing = leaving.subscription.close();
      const staying = await listen('a');
      await closing;
      const given = leaving.seen.length;
      await eventually(() => expect(numbers(staying.seen)).toEqual(range(8)));
      expect(leaving.seen).toHaveLength(given);
    });

    it('commits what a handler finishes while its member closes', async () => {
      let finish: () => void = () => undefined;
      const leaving = await listen('a', () => new Promise<void>((resolve) => (finish = resolve)));
      await bus.publish([event('key', 0)]);
      await eventually(() => expect(leaving.seen).toHaveLength(1));
      const closing = leaving.subscription.close();
      finish();
      await closing;
      await leaving.subscription.close();
      const staying = await listen('a');
      await bus.publish([event('key', 1)]);
      await eventually(() => expect(numbers(staying.seen)).toContain(1));
      expect(numbers(staying.seen)).toEqual([1]);
    });

    it('counts what is accepted and not yet handled', async () => {
      let blocked = true;
      await listen('a', async ({ n }) => {
        while (n === 1 && blocked) await sleep(5);
      });
      await bus.publish(range(3).map((n) => event('key', n)));
      await eventually(async () => expect(await lagOf('a')).toBe(2));
      blocked = false;
      await eventually(async () => expect(await lagOf('a')).toBe(0));
    });

    const lagOf = async (group: string) =>
      (await bus.lag()).find((entry) => entry.group === group && entry.topic === TOPIC)?.messages;

    if (driver.holdsInMemory) {
      it('makes publishers wait while a partition is full, and keeps their order', async () => {
        await reopen({ capacity: 1 });
        let blocked = true;
        const { seen } = await listen('a', async () => {
          while (blocked) await sleep(5);
        });
        await bus.publish([event('key', 0)]);
        let accepted = 0;
        const publishing = range(5).map(async (n) => {
          await bus.publish([event('key', n + 1)]);
          accepted += 1;
        });
        await sleep(quietMs);
        expect(accepted).toBe(0);
        blocked = false;
        await Promise.all(publishing);
        await eventually(() => expect(seen.map(({ n }) => n)).toEqual(range(6)));
      });

      it('refuses publishers that still wait when it closes', async () => {
        await reopen({ capacity: 1 });
        await listen('a', async (_, { signal }) => {
          await sleep(patienceMs, undefined, { signal });
        });
        await bus.publish([event('key', 0)]);
        const waiting = bus.publish([event('key', 1)]);
        const refused = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        await bus.close();
        await refused;
      });
    }

    it('refuses what it cannot carry, and then accepts nothing of the call', async () => {
      const { seen } = await listen('a');
      const nameless = { ...event('key', 4), topic: 'no name' as Topic } as OutgoingMessage;
      for (const wrong of [event('', 2), nameless]) {
        await expect(bus.publish([event('key', 1), wrong])).rejects.toMatchObject({ code: 'VALIDATION' });
      }
      await bus.publish([event('key', 5)]);
      await eventually(() => expect(seen.length).toBeGreaterThan(0));
      expect(numbers(seen)).toEqual([5]);
    });

    it('refuses payloads over 256 KiB and takes those just below', async () => {
      const { seen } = await listen('a');
      const large = (bytes: number) => {
        const message = event('key', 0);
        message.envelope.payload.data.text = 'x'.repeat(bytes);
        return message;
      };
      await expect(bus.publish([large(256 * 1024)])).rejects.toMatchObject({ code: 'TOO_LARGE' });
      await bus.publish([large(255 * 1024)]);
      await eventually(() => expect(seen).toHaveLength(1));
    });

    it('refuses to subscribe to a topic that is not in the contracts', async () => {
      const topic = 'jobs.imagined' as Topic;
      const subscribing = bus.subscribe({ topic, group: 'a', concurrency: 1, handle: async () => undefined });
      await expect(subscribing).rejects.toMatchObject({ code: 'VALIDATION' });
    });

    it('answers a ping while it is open and refuses everything when it is closed', async () => {
      await bus.ping();
      await bus.close();
      await expect(bus.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(bus.publish([event('key', 0)])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(listen('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
  });
}
