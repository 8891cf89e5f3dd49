/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { describeWith } from '@adit/testing';
import { expect, it } from '@jest/globals';
import type { DeliveryContext } from './port.js';
import { kafkaMembers, chunk, range, SESSION_MS, type Handling } from './testing/kafka-members.js';

configureLogging({ level: 'silent' });

await describeWith('kafka', 'members of a Kafka group', ({ kafka }) => {
  const { open, join, eventually, ids, lagOf } = kafkaMembers(kafka.brokers.split(','));

  it('members may work on a message for longer than the session lasts, while the other partitions go on', async () => {
    const bus = open();
    const one = await join(({ envelope }) => sleep(envelope.id === 'long' ? SESSION_MS * 1.5 : 1), { bus });
    await bus.publish([chunk('long')]);
    await eventually(() => expect(ids(one.done)).toEqual(['long']));
    const two = await join(async () => undefined);
    for (const n of range(10)) await bus.publish([chunk(`quick-${n}`)]).then(() => sleep(200));
    const all = () => [...one.done, ...two.done];
    await eventually(() => expect(all().filter(({ finished }) => finished).length).toBeGreaterThan(6));
    expect(one.done[0]).toMatchObject({ id: 'long', to: null });
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    expect(one.done[0]).toMatchObject({ id: 'long', finished: true });
    expect(ids(all()).sort()).toEqual(['long', ...range(10).map((n) => `quick-${n}`)]);
  });

  it('members keep their current message when others join', async () => {
    const bus = open();
    const first = await join((_, { signal }) => sleep(3_000, undefined, { signal }), { bus, concurrency: 1 });
    await bus.publish([chunk('long')]);
    await eventually(() => expect(ids(first.done)).toEqual(['long']));
    const others = [];
    for (let n = 0; n < 3; n++) others.push(await join(async () => undefined));
    await eventually(() => expect(first.done[0]?.to).not.toBeNull());
    expect(first.done[0]?.finished).toBe(true);
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    expect(ids(...others.map(({ done }) => done))).toEqual([]);
  });

  it('members lose nothing and rarely work on the same message while others join and leave', async () => {
    const bus = open();
    const work = (_: unknown, { signal }: DeliveryContext) => sleep(20 + Math.random() * 60, undefined, { signal });
    const members = [await join(work), await join(work)];
    const messages = range(240).map((n) => chunk(`m${n}`, `key-${n % 24}`));
    const publishing = (async () => {
      for (const n of range(24)) await bus.publish(messages.slice(n * 10, n * 10 + 10)).then(() => sleep(100));
    })();
    await sleep(500);
    members.push(await join(work));
    await sleep(700);
    await members[0]?.close();
    members.push(await join(work));
    await sleep(500);
    await members[1]?.close();
    await publishing;
    const all = () => members.flatMap(({ done }) => done);
    const finished = () =>
      new Set(
        all()
          .filter((one) => one.finished)
          .map(({ id }) => id),
      );
    await eventually(() => expect(finished().size).toBe(240));
    await eventually(() => expect(all().every(({ to }) => to !== null)).toBe(true));
    // Each key's messages were first finished in their order.
    for (const n of range(24)) {
      const order = all().filter(({ key, finished: good }) => good && key === `key-${n}`);
      const firsts = [...new Set(order.sort((a, b) => (a.to ?? 0) - (b.to ?? 0)).map(({ id }) => Number(id.slice(1))))];
      expect(firsts).toEqual([...firsts].sort((a, b) => a - b));
    }
    expect(longestOverlap(all())).toBeLessThan(1_000);
    expect(all().length - 240).toBeLessThan(40);
  });

  it('members may commit late: nothing is lost, order is kept, and committed messages are not given again', async () => {
    const bus = open();
    const late = { commitWithinMs: 300 };
    const first = await join(async () => undefined, { bus, ...late });
    const flood = range(200).map((n) => chunk(`m-${n}`, `key-${n % 7}`));
    await bus.publish(flood);
    await eventually(() => expect(first.done).toHaveLength(200));
    await eventually(async () => expect(await lagOf(bus)).toBe(0));
    // One that leaves commits all it did, however late it may.
    await bus.publish([chunk('last', 'key-0')]);
    await eventually(() => expect(first.done).toHaveLength(201));
    await first.close();
    const second = await join(async () => undefined, late);
    await bus.publish(range(20).map((n) => chunk(`again-${n}`, `key-${n % 7}`)));
    await eventually(() => expect(second.done).toHaveLength(20));
    expect(ids(second.done).every((id) => id.startsWith('again-'))).toBe(true);
    for (const { done } of [first, second]) {
      for (const key of new Set(done.map((one) => one.key))) {
        const order = done.filter((one) => one.key === key).map(({ id }) => Number(id.split('-')[1] ?? Infinity));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    }
    // A failed one is noted and tried again, behind it and before it nothing is lost.
    let failures = 2;
    const third = await join(
      async ({ envelope }) => {
        if (envelope.id === 'fails' && failures-- > 0) throw new Error('not now');
      },
      { ...late, group: 'other', bus },
    );
    await bus.publish([chunk('before', 'k'), chunk('fails', 'k'), chunk('after', 'k')]);
    // The group has all that was published before it came; of that only the order within a key is certain.
    await eventually(() =>
      expect(ids(third.done.filter(({ key, finished }) => key === 'k' && finished))).toEqual([
        'before',
        'fails',
        'after',
      ]),
    );
    expect(third.done.filter(({ id }) => id === 'fails').map(({ delivery }) => delivery)).toEqual([1, 2, 3]);
  });

  it('members hand back unfinished messages with their number of failures', async () => {
    const session = 60_000;
    const slow = open({
      delivery: { maxDeliveries: 5, baseMs: 60_000, maxMs: 60_000 },
      times: { sessionTimeoutMs: session, heartbeatMs: 100, maxWaitMs: 100 },
    });
    const leaving = await join(
      async ({ envelope }, { signal }) => {
        if (envelope.id === 'bad') throw new AditError('INTERNAL', 'crashed');
        await sleep(60_000, undefined, { signal });
      },
      { bus: slow },
    );
    await slow.publish([chunk('bad', 'a'), chunk('long', 'b')]);
    await eventually(() => expect(ids(leaving.done).sort()).toEqual(['bad', 'long']));
    await sleep(200);
    const began = performance.now();
    await leaving.close();
    const staying = await join(async () => undefined);
    await eventually(() =>
      expect(staying.done.map(({ id, delivery }) => [id, delivery]).sort()).toEqual([
        ['bad', 2],
        ['long', 1],
      ]),
    );
    // It left the group at once, so nobody waited for its session to end.
    expect(performance.now() - began).toBeLessThan(session);
  });

  it('members get a flood in order, though it was published all at once', async () => {
    const bus = open();
    const member = await join(async () => undefined, { concurrency: 12 });
    await Promise.all(range(2_000).map((n) => bus.publish([chunk(`m${n}`, `key-${n % 50}`)])));
    await eventually(() => expect(member.done).toHaveLength(2_000));
    for (const n of range(50)) {
      const order = ids(member.done.filter(({ key }) => key === `key-${n}`)).map((id) => Number(id.slice(1)));
      expect(order).toEqual(range(40).map((step) => step * 50 + n));
    }
  });
});

/** Milliseconds that two handlers were at the same message, at the worst. */
function longestOverlap(handlings: Handling[]): number {
  let longest = 0;
  for (const [index, one] of handlings.entries()) {
    for (const other of handlings.slice(index + 1)) {
      if (one.id !== other.id) continue;
      longest = Math.max(longest, Math.min(one.to ?? 0, other.to ?? 0) - Math.max(one.from, other.from));
    }
  }
  return longest;
}
