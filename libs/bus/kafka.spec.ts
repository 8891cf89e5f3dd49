/** @needs servers */
import { configureLogging } from '@adit/runtime';
import { describeWith } from '@adit/testing';
import { busConformance } from './conformance.js';
import { KafkaConfig } from './kafka-config.js';
import { KafkaBus } from './kafka.js';

configureLogging({ level: 'silent' });

await describeWith('kafka', 'the bus on Kafka', ({ kafka }) => {
  busConformance('kafka', {
    create: async ({ delivery, topicPrefix }) =>
      new KafkaBus(KafkaConfig.parse({ kafkaBrokers: kafka.brokers.split(','), kafkaTopicPrefix: topicPrefix }), {
        delivery,
        closeGraceMs: 5_000,
        // Quick to join and to leave.
        times: { heartbeatMs: 100, maxWaitMs: 100 },
      }),
    patienceMs: 60_000,
    quietMs: 300,
    holdsInMemory: false,
  });
});
