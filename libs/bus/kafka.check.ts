/** The bus's conformance suite on the brokers that the usual settings name: `npm run servers -- --check`. */
import { configureLogging, loadConfig } from '@adit/runtime';
import { uniqueName } from '@adit/testing';
import { Kafka } from 'kafkajs';
import { afterAll } from '@jest/globals';
import { busConformance } from './conformance.js';
import { KafkaConfig, kafkaConnection } from './kafka-config.js';
import { KafkaBus } from './kafka.js';

configureLogging({ level: 'silent' });
const config = loadConfig(KafkaConfig);
const own = `${config.kafkaTopicPrefix}${uniqueName('check')}.`;

busConformance('kafka', {
  create: async ({ delivery, topicPrefix }) =>
    new KafkaBus(
      { ...config, kafkaTopicPrefix: `${own}${topicPrefix}` },
      { delivery, closeGraceMs: 5_000, times: { heartbeatMs: 100, maxWaitMs: 100 } },
    ),
  patienceMs: 60_000,
  quietMs: 300,
  holdsInMemory: false,
});

// They are somebody's brokers.
afterAll(async () => {
  const admin = new Kafka(kafkaConnection(config)).admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(own));
  if (topics.length > 0) await admin.deleteTopics({ topics });
  await admin.disconnect();
});
