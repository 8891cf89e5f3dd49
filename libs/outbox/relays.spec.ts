/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { InProcessBus, type OutgoingMessage } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { openDatabase, type Database } from '@adit/database';
import { describeWith, freshDatabase, watchStatements, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { enqueue, OutboxRelay } from './outbox.js';
import { BATCH, takeBatch } from './shards.js';

class Arrivals extends InProcessBus {
  readonly arrived: { key: string; number: number }[] = [];

  override async publish(messages: OutgoingMessage[]): Promise<void> {
    for (const { key, envelope } of messages) {
      const { data } = envelope.payload as Payload<'events.raised'>;
      this.arrived.push({ key, number: data.number as number });
    }
  }
}

const NEVER = 3_600_000;
const event = (key: string, number: number) => ({
  topic: 'events.raised' as const,
  key,
  jobId: key,
  payload: { event: 'job.on_progress', data: { number } },
});
const many = (key: string, count: number) => Array.from({ length: count }, (_, number) => event(key, number));

await describeWith('postgres', 'a relay beside others', ({ postgres }) => {
  let fresh: FreshDatabase;
  let one: Database;
  let other: Database;
  beforeAll(async () => {
    fresh = await freshDatabase(postgres.url);
    one = await openDatabase({ driver: 'postgres', url: fresh.url, poolSize: 5 });
    other = await openDatabase({ driver: 'postgres', url: fresh.url, poolSize: 5 });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await fresh?.drop();
  });

  it('takes three statements for what this process has committed, and one to find nothing', async () => {
    const asked: string[] = [];
    const { dataSource } = one;
    const sessions = watchStatements(dataSource, (sql) => asked.push(sql.trim().split(/\s/, 1)[0]!));
    const bus = new Arrivals();
    const relay = new OutboxRelay(dataSource, bus, NEVER);
    await relay.transaction((manager) => enqueue(manager, [event('counted', 1)]));
    await relay.idle();
    expect([asked.splice(0), bus.arrived.length]).toEqual([
      ['START', 'INSERT', 'COMMIT', 'START', 'WITH', 'COMMIT'],
      1,
    ]);
    relay.nudge();
    await relay.idle();
    sessions.stop();
    expect(asked).toEqual(['SELECT']);
  });

  /** @hardening jobs: A message waits because the relay that could send it had begun before it was written */
  it('looks again for what a relay holds that had begun before', async () => {
    const { dataSource } = one;
    const runner = other.dataSource.createQueryRunner();
    await runner.startTransaction();
    await dataSource.transaction((manager) => enqueue(manager, [event('same', 1)]));
    expect((await takeBatch(runner.manager)).rows).toHaveLength(1);
    const bus = new Arrivals();
    // Its own period is too long to help.
    const relay = new OutboxRelay(dataSource, bus, NEVER);
    await relay.transaction((manager) => enqueue(manager, [event('same', 2)]));
    await relay.idle();
    expect(bus.arrived).toEqual([]);
    await runner.commitTransaction();
    await runner.release();
    while (bus.arrived.length === 0) await sleep(20);
    await relay.idle();
    expect(bus.arrived).toEqual([{ key: 'same', number: 2 }]);
  });

  /** @hardening scale: Relays query the database for nothing while the bus of one of them hangs */
  it('looks the more seldom for what a relay holds the longer that takes', async () => {
    const { dataSource } = one;
    const runner = other.dataSource.createQueryRunner();
    await runner.startTransaction();
    await dataSource.transaction((manager) => enqueue(manager, [event('slow', 1)]));
    expect((await takeBatch(runner.manager)).rows).toHaveLength(1);
    let looks = 0;
    const watched = watchStatements(dataSource, (sql) => (looks += sql.trim().startsWith('WITH') ? 1 : 0));
    const bus = new Arrivals();
    const relay = new OutboxRelay(dataSource, bus, NEVER);
    await relay.transaction((manager) => enqueue(manager, [event('slow', 2)]));
    await sleep(3_000);
    // At once, and after 250, 750 and 1,750 ms; without longer pauses it would be 12 times.
    expect(looks).toBeLessThanOrEqual(5);
    watched.stop();
    await runner.rollbackTransaction();
    await runner.release();
    while (bus.arrived.length < 2) await sleep(20);
    await relay.onApplicationShutdown();
    expect(bus.arrived.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('tells what is left from what others hold', async () => {
    const { dataSource } = one;
    await dataSource.transaction((manager) => enqueue(manager, many('left', BATCH + 1)));
    await dataSource.transaction(async (manager) => {
      const first = await takeBatch(manager);
      expect([first.rows.length, first.more, first.held]).toEqual([BATCH, true, false]);
      const beside = await other.dataSource.transaction((second) => takeBatch(second));
      expect(beside).toEqual({ rows: [], more: false, held: true });
      const last = await takeBatch(manager);
      expect([last.rows.length, last.more, last.held]).toEqual([1, false, false]);
    });
    expect(await dataSource.transaction((manager) => takeBatch(manager))).toEqual({
      rows: [],
      more: false,
      held: false,
    });
  });
});
