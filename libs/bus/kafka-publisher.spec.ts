import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Kafka } from 'kafkajs';
import { KafkaPublisher } from './kafka-publisher.js';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

const record = { topic: 't', key: 'k', text: '{}', headers: {} };

/** Brokers that answer each request with the next of these types, and take it after them. */
function brokersThat(refuse: string[]) {
  const asked: number[] = [];
  let producers = 0;
  const producer = () => {
    const number = ++producers;
    return {
      connect: async () => undefined,
      disconnect: async () => undefined,
      sendBatch: async () => {
        asked.push(number);
        const type = refuse.shift();
        if (type !== undefined) throw Object.assign(new Error('Refused.'), { name: 'KafkaJSProtocolError', type });
      },
    };
  };
  return { kafka: { producer } as unknown as Kafka, asked };
}

it('waits for partitions that have no leader yet, each time with another producer', async () => {
  const { kafka, asked } = brokersThat(['LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);
  const published = new KafkaPublisher(kafka).publish([record]);
  await Promise.all([published, jest.advanceTimersByTimeAsync(5_000)]);
  expect(asked).toEqual([1, 2, 3]);
});

it('gives up when there is none after ten seconds, and at once for another reason', async () => {
  const never = brokersThat(Array<string>(1_000).fill('NOT_LEADER_FOR_PARTITION'));
  const refused = expect(new KafkaPublisher(never.kafka).publish([record])).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await jest.advanceTimersByTimeAsync(15_000);
  await refused;
  expect(never.asked.length).toBeGreaterThan(10);
  const away = brokersThat(['REQUEST_TIMED_OUT']);
  await expect(new KafkaPublisher(away.kafka).publish([record])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(away.asked).toEqual([1]);
});
