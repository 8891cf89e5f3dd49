/** @needs servers */
import { configureLogging } from '@adit/runtime';
import { describeWith, uniqueName } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { Kafka } from 'kafkajs';
import { within } from './testing/within.js';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';
import type { OutgoingMessage } from './port.js';

configureLogging({ level: 'silent' });

const event = (id: string, bytes: number): OutgoingMessage<'events.raised'> => ({
  topic: 'events.raised',
  key: 'job',
  envelope: {
    ...{ id, jobId: 'job', traceparent: null, attempt: 1, occurredAt: 'now' },
    payload: {
      event: 'e',
      data: {
        text: Math.random()
          .toString(36)
          .repeat(bytes / 10),
      },
    },
  },
});

await describeWith('kafka', 'brokers that take less than we send', ({ kafka }) => {
  /** @hardening jobs: One message that cannot be sent stops all publishing */
  it('publishers refuse a large message as TOO_LARGE, and nothing that is sent beside it', async () => {
    const brokers = kafka.brokers.split(',');
    const prefix = uniqueName('refusal');
    const admin = new Kafka({ brokers, logLevel: 0 }).admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: '2000' }];
    const topics = [{ topic: `${prefix}events.raised`, numPartitions: 1, configEntries }];
    // A broker hears of a topic a moment after it was made; the bus waits for that better.
    await admin.createTopics({ topics, waitForLeaders: false });
    const bus = new KafkaBus(KafkaConfig.parse({ kafkaBrokers: brokers, kafkaTopicPrefix: prefix }));
    try {
      const seen: string[] = [];
      const handle = async ({ envelope }: { envelope: { id: string } }) => void seen.push(envelope.id);
      await bus.subscribe({ topic: 'events.raised', group: 'g', concurrency: 1, handle });
      await bus.publish([event('first', 10)]);
      // In the same turn, so they go out in the same request.
      const outcomes = await Promise.allSettled([
        bus.publish([event('before', 10)]),
        bus.publish([event('large', 8_000)]),
        bus.publish([event('after', 10)]),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(outcomes[1]).toMatchObject({ reason: { code: 'TOO_LARGE' } });
      await within(30_000, () => expect(seen).toEqual(['first', 'before', 'after']));
    } finally {
      await bus.close();
      await admin.disconnect();
    }
  });
});
