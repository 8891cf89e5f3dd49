import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeConfig, loadConfig } from '@adit/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KafkaConfig, kafkaConnection } from './kafka-config.js';

const connectionOf = (env: Record<string, string>) =>
  kafkaConnection(loadConfig(KafkaConfig, { KAFKA_BROKERS: 'k1:9092, k2:9093', ...env }));

describe('Kafka settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'adit-kafka-'));
    for (const name of ['ca', 'cert', 'key']) writeFileSync(join(folder, `${name}.pem`), `the ${name}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes a list of brokers and speaks plainly by default', () => {
    expect(connectionOf({})).toEqual({ brokers: ['k1:9092', 'k2:9093'], clientId: 'adit' });
    expect(loadConfig(KafkaConfig, {})).toMatchObject({
      kafkaTopicPrefix: '',
      kafkaPartitions: 12,
      kafkaGrowPartitions: false,
      kafkaReplicationFactor: 1,
    });
  });

  it('says which variable is missing when Kafka is chosen without brokers', () => {
    expect(() => connectionOf({ KAFKA_BROKERS: '' })).toThrow('KAFKA_BROKERS is missing');
    expect(() => connectionOf({ KAFKA_BROKERS: 'k1' })).toThrow('KAFKA_BROKERS is wrong');
  });

  it('always checks the brokers’ certificates, by the system’s authorities or one’s own', () => {
    expect(connectionOf({ KAFKA_SSL: 'true' }).ssl).toEqual({ rejectUnauthorized: true });
    expect(connectionOf({ KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: join(folder, 'ca.pem') }).ssl).toEqual({
      rejectUnauthorized: true,
      ca: ['the ca'],
    });
  });

  it('shows a client certificate', () => {
    const files = { KAFKA_SSL_CERT_FILE: join(folder, 'cert.pem'), KAFKA_SSL_KEY_FILE: join(folder, 'key.pem') };
    expect(connectionOf({ KAFKA_SSL: 'true', ...files }).ssl).toMatchObject({ cert: 'the cert', key: 'the key' });
    expect(() => connectionOf({ KAFKA_SSL: 'true', KAFKA_SSL_CERT_FILE: files.KAFKA_SSL_CERT_FILE })).toThrow(
      'belong together',
    );
    expect(() => connectionOf(files)).toThrow('without KAFKA_SSL=true');
    expect(() => connectionOf({ KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: join(folder, 'none.pem') })).toThrow(
      /KAFKA_SSL_CA_FILE names .*none\.pem, which cannot be read \(ENOENT\)/,
    );
  });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('proves who it is with %s', (mechanism) => {
    const user = { KAFKA_SASL_USERNAME: 'adit', KAFKA_SASL_PASSWORD: 'hush' };
    expect(connectionOf({ KAFKA_SASL_MECHANISM: mechanism, ...user }).sasl).toEqual({
      mechanism,
      username: 'adit',
      password: 'hush',
    });
  });

  it('refuses half a SASL login and never says the password', () => {
    expect(() => connectionOf({ KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: 'hush' })).toThrow(
      /^KAFKA_SASL_MECHANISM=plain needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD\.$/,
    );
    expect(() => connectionOf({ KAFKA_SASL_PASSWORD: 'hush' })).toThrow('without KAFKA_SASL_MECHANISM');
    const secrets = describeConfig(KafkaConfig).filter(({ secret }) => secret);
    expect(secrets.map(({ env }) => env)).toEqual(['KAFKA_SASL_PASSWORD']);
  });
});
