/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { configureLogging } from '@adit/runtime';
import { describeWith, ownServer } from '@adit/testing';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { within } from './testing/within.js';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';
import type { OutgoingMessage } from './port.js';

configureLogging({ level: 'silent' });

const chunk = (chunkId: string): OutgoingMessage<'chunks.requested'> => ({
  topic: 'chunks.requested',
  key: chunkId,
  envelope: { id: chunkId, jobId: 'job', traceparent: null, attempt: 1, occurredAt: 'now', payload: { chunkId } },
});

const own = await ownServer('kafka');
await describeWith('kafka', 'the bus while Kafka is away', () => {
  if ('reason' in own) {
    it(`is not tested on a given server (${own.reason})`, () => expect(own.reason).not.toBe(''));
    return;
  }
  const buses: KafkaBus[] = [];
  const open = () => {
    const bus = new KafkaBus(KafkaConfig.parse({ kafkaBrokers: [own.brokers] }), { closeGraceMs: 2_000 });
    buses.push(bus);
    return bus;
  };
  const listen = async (bus: KafkaBus, group: string, handle: (id: string) => Promise<void>) => {
    const seen: string[] = [];
    await bus.subscribe({
      topic: 'chunks.requested',
      group,
      concurrency: 4,
      async handle({ envelope }) {
        seen.push(envelope.id);
        await handle(envelope.id);
      },
    });
    return seen;
  };
  /** Milliseconds that a refusal took. */
  const refusal = async (work: Promise<unknown>) => {
    const began = performance.now();
    await expect(work).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('KAFKA_BROKERS'),
    });
    return performance.now() - began;
  };

  afterEach(() => Promise.all(buses.splice(0).map((bus) => bus.close())));
  afterAll(() => own.remove());

  it('refuses soon, goes on by itself, and lets work that was under way end once', async () => {
    const bus = open();
    let finish = () => undefined as void;
    const first = await listen(bus, 'first', async (id) => {
      if (id === 'long') await new Promise<void>((resolve) => (finish = resolve));
    });
    await bus.publish([chunk('long')]);
    await within(120_000, () => expect(first).toEqual(['long']));

    await own.kill();
    expect(await refusal(bus.publish([chunk('refused')]))).toBeLessThan(8_000);
    expect(await refusal(bus.ping())).toBeLessThan(2_500);
    expect(await refusal(bus.lag())).toBeLessThan(8_000);
    // A process that starts now waits for Kafka instead of failing.
    const second = await listen(open(), 'second', async () => undefined);
    await sleep(3_000);

    await own.start();
    const back = performance.now();
    await within(120_000, () => bus.publish([chunk('after')]));
    await within(120_000, () => expect([...second].sort()).toEqual(['after', 'long']));
    await within(120_000, () => expect(first).toContain('after'));
    expect(performance.now() - back).toBeLessThan(30_000);
    finish();
    await within(120_000, async () => expect((await bus.lag())[0]?.messages).toBe(0));
    expect([...first].sort()).toEqual(['after', 'long']);
  }, 600_000);
});
