/** @needs servers */
import { createHook } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { configureLogging } from '@adit/runtime';
import { describeWith, uniqueName } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';

configureLogging({ level: 'silent' });

await describeWith('kafka', 'a process that waits for messages', ({ kafka }) => {
  it('rests: no connection looks every millisecond whether there is something to send', async () => {
    const settings = { kafkaBrokers: kafka.brokers.split(','), kafkaTopicPrefix: uniqueName('idle') };
    const bus = new KafkaBus(KafkaConfig.parse(settings));
    let timers = 0;
    const hook = createHook({ init: (_id, type) => void (timers += type === 'Timeout' ? 1 : 0) });
    try {
      await bus.subscribe({ topic: 'jobs.submitted', group: 'idle', concurrency: 1, handle: async () => undefined });
      hook.enable();
      await sleep(2_000);
      hook.disable();
      expect(timers).toBeLessThan(200);
    } finally {
      hook.disable();
      await bus.close();
    }
  });
});
