import { resolve } from 'node:path';
import { BusModule, KafkaConfig } from '@adit/bus';
import { DatabaseModule, databaseConfig, DatabaseSettings } from '@adit/database';
import { JobsModule, JobSettings } from '@adit/jobs';
import { ObjectsModule, objectsConfig, ObjectsSettings } from '@adit/objects';
import { BaseConfig, setting, watchCertificates, watchDisk } from '@adit/runtime';
import type { DynamicModule } from '@nestjs/common';
import { z } from 'zod';
import { DependenciesModule } from './dependencies.module.js';

/** Settings of every process: the addresses of its dependencies, and how jobs are worked on. */
export const PlatformConfig = z.object({
  ...BaseConfig.shape,
  ...KafkaConfig.shape,
  ...DatabaseSettings.shape,
  ...ObjectsSettings.shape,
  ...JobSettings.shape,
});
export type PlatformConfig = z.infer<typeof PlatformConfig>;

/** Further settings of a process without an API. */
export const OperationsConfig = z.object({
  operationsPort: setting(
    'ADIT_OPERATIONS_PORT',
    z.int().min(0).max(65535).default(9464),
    'TCP port of probes and metrics of every process but the gateway, which answers them on its own; 0 takes any free one.',
  ),
  operationsHost: setting(
    'ADIT_OPERATIONS_HOST',
    z.string().min(1).default('127.0.0.1'),
    'Address that probes and metrics listen on; containers set 0.0.0.0.',
  ),
});
export type OperationsConfig = z.infer<typeof OperationsConfig>;

/** Services whose relays look each second for messages that a process left behind when it died. */
const POLLING = new Set(['aggregator', 'standalone']);

/** The ports, by the drivers that the configuration chooses, and the jobs on top of them: what every service stands on. */
export function platformModules(config: PlatformConfig, service: string): DynamicModule[] {
  const dataDir = resolve(config.dataDir);
  watchDisk(dataDir);
  watchCertificates({
    DATABASE_SSL_CA_FILE: config.databaseSslCaFile,
    DATABASE_SSL_CERT_FILE: config.databaseSslCertFile,
    KAFKA_SSL_CA_FILE: config.kafkaSslCaFile,
    KAFKA_SSL_CERT_FILE: config.kafkaSslCertFile,
    S3_CA_FILE: config.s3CaFile,
  });
  return [
    DatabaseModule.forRoot(databaseConfig(config, dataDir, `adit-${service}`)),
    ObjectsModule.forRoot(objectsConfig(config, dataDir)),
    BusModule.forRoot({ busDriver: config.busDriver, kafka: config }),
    JobsModule.forRoot(config, { polls: POLLING.has(service) }),
    DependenciesModule.forRoot(service),
  ];
}
