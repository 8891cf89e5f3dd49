import { readFileSync } from 'node:fs';
import { AditError, errorCode } from '@adit/contracts';
import { setting } from '@adit/runtime';
import type { KafkaConfig as ClientConfig, SASLOptions } from 'kafkajs';
import { z } from 'zod';

const name = z.string().regex(/^[A-Za-z0-9._-]*$/, 'letters, digits, dots, dashes and underscores');

/** Settings for reaching Kafka; used only with `BUS_DRIVER=kafka`. An app's schema takes in its `shape`. */
export const KafkaConfig = z.object({
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    z.array(z.string().regex(/^\S+:\d{1,5}$/, 'host:port')).default([]),
    'Brokers to start from, as `host:port`; needed with `BUS_DRIVER=kafka`.',
  ),
  kafkaClientId: setting(
    'KAFKA_CLIENT_ID',
    name.min(1).default('adit'),
    'How this process names itself to the brokers: in their logs and quotas.',
  ),
  kafkaTopicPrefix: setting(
    'KAFKA_TOPIC_PREFIX',
    name.max(60).default(''),
    'Put before the names of topics and consumer groups, so that installations can share brokers.',
  ),
  kafkaPartitions: setting(
    'KAFKA_PARTITIONS',
    z.int().min(1).max(1000).default(12),
    'Partitions of a topic when it is created: as many processes can share its work.',
  ),
  kafkaGrowPartitions: setting(
    'KAFKA_GROW_PARTITIONS',
    z.boolean().default(false),
    'Whether topics that have fewer partitions than KAFKA_PARTITIONS get more when a process starts; they never get fewer. Events of jobs that run at that moment may come out of order.',
  ),
  kafkaReplicationFactor: setting(
    'KAFKA_REPLICATION_FACTOR',
    z.int().min(1).max(15).default(1),
    'Copies of a topic when it is created; 3 on a cluster (two of them then have to confirm a message).',
  ),
  kafkaSsl: setting('KAFKA_SSL', z.boolean().default(false), 'Whether the brokers are spoken to over TLS.'),
  kafkaSslCaFile: setting(
    'KAFKA_SSL_CA_FILE',
    z.string().optional(),
    'PEM file of the authority that signed the brokers’ certificates; the system’s authorities otherwise.',
  ),
  kafkaSslCertFile: setting('KAFKA_SSL_CERT_FILE', z.string().optional(), 'PEM file of the client’s certificate.'),
  kafkaSslKeyFile: setting('KAFKA_SSL_KEY_FILE', z.string().optional(), 'PEM file of the client certificate’s key.'),
  kafkaSaslMechanism: setting(
    'KAFKA_SASL_MECHANISM',
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    'How this process proves who it is; nothing is sent when it is left out.',
  ),
  kafkaSaslUsername: setting('KAFKA_SASL_USERNAME', z.string().optional(), 'User name for SASL.'),
  kafkaSaslPassword: setting('KAFKA_SASL_PASSWORD', z.string().optional(), 'Password for SASL.', { secret: true }),
});
export type KafkaConfig = z.infer<typeof KafkaConfig>;

/**
 * Brokers, TLS and SASL as kafkajs takes them; the named files are read now. Throws AditError VALIDATION that names the
 * variables when they do not fit together or a file cannot be read.
 */
export function kafkaConnection(config: KafkaConfig): Pick<ClientConfig, 'brokers' | 'clientId' | 'ssl' | 'sasl'> {
  if (config.kafkaBrokers.length === 0) {
    throw refusal(
      'KAFKA_BROKERS is missing: with BUS_DRIVER=kafka it names the brokers, as in kafka-0:9092,kafka-1:9092.',
    );
  }
  const ssl = tlsOf(config);
  const sasl = saslOf(config);
  return {
    brokers: config.kafkaBrokers,
    clientId: config.kafkaClientId,
    ...(ssl !== undefined && { ssl }),
    ...(sasl !== undefined && { sasl }),
  };
}

function tlsOf(config: KafkaConfig): ClientConfig['ssl'] {
  const { kafkaSslCaFile: ca, kafkaSslCertFile: cert, kafkaSslKeyFile: key } = config;
  if (!config.kafkaSsl) {
    if (ca ?? cert ?? key) throw refusal('KAFKA_SSL_CA_FILE, _CERT_FILE or _KEY_FILE is set without KAFKA_SSL=true.');
    return undefined;
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw refusal('KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE belong together: set both or none.');
  }
  return {
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca: [pem('KAFKA_SSL_CA_FILE', ca)] }),
    ...(cert !== undefined && { cert: pem('KAFKA_SSL_CERT_FILE', cert) }),
    ...(key !== undefined && { key: pem('KAFKA_SSL_KEY_FILE', key) }),
  };
}

function saslOf(config: KafkaConfig): SASLOptions | undefined {
  const { kafkaSaslMechanism: mechanism, kafkaSaslUsername: username, kafkaSaslPassword: password } = config;
  if (mechanism === undefined) {
    if (username ?? password) throw refusal('KAFKA_SASL_USERNAME or _PASSWORD is set without KAFKA_SASL_MECHANISM.');
    return undefined;
  }
  if (!username || !password) {
    throw refusal(`KAFKA_SASL_MECHANISM=${mechanism} needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD.`);
  }
  return { mechanism, username, password };
}

function pem(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refusal(`${variable} names ${file}, which cannot be read (${errorCode(error)}).`, error);
  }
}

function refusal(message: string, cause?: unknown): AditError {
  return new AditError('VALIDATION', message, { cause });
}
