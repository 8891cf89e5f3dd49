import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { setting, type BaseConfig } from '@adit/runtime';
import { z } from 'zod';
import type { DatabaseConfig } from './config.js';
import { EMBEDDED_DATABASE } from './pglite/pglite-start.js';

/**
 * Settings of a PostgreSQL server; the embedded database reads ADIT_MIGRATE alone. DATABASE_DRIVER is in BaseConfig.
 */
export const DatabaseSettings = z.object({
  databaseUrl: setting(
    'DATABASE_URL',
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'postgresql://user:password@host:5432/name of the PostgreSQL server; `?sslmode=verify-full` asks for TLS.',
    { secret: true },
  ),
  databaseSslCaFile: setting(
    'DATABASE_SSL_CA_FILE',
    z.string().min(1).optional(),
    'PEM file of the authority that signed the server’s certificate, when it is a private one. Turns TLS on, with the host name verified.',
  ),
  databaseSslCertFile: setting(
    'DATABASE_SSL_CERT_FILE',
    z.string().min(1).optional(),
    'PEM file of the certificate by which this process shows the server who it is, as libpq’s sslcert; with DATABASE_SSL_KEY_FILE.',
  ),
  databaseSslKeyFile: setting(
    'DATABASE_SSL_KEY_FILE',
    z.string().min(1).optional(),
    'PEM file of that certificate’s key, which has no password.',
  ),
  databasePoolSize: setting(
    'DATABASE_POOL_SIZE',
    z.int().min(2).max(500).default(10),
    'Connections of one process at the most; all processes together stay below the server’s max_connections.',
  ),
  databaseConnectSeconds: setting(
    'DATABASE_CONNECT_SECONDS',
    z.number().min(0).max(3600).default(60),
    'How long a starting process tries to reach the server before it gives up.',
  ),
  databaseAcquireSeconds: setting(
    'DATABASE_ACQUIRE_SECONDS',
    z.number().positive().max(600).default(10),
    'How long a query waits for a free connection, or for the server to accept one.',
  ),
  databaseStatementSeconds: setting(
    'DATABASE_STATEMENT_SECONDS',
    z.number().min(0).max(3600).default(60),
    'How long one statement may run; 0 for no limit. Migrations have none.',
  ),
  databaseLockSeconds: setting(
    'DATABASE_LOCK_SECONDS',
    z.number().min(0).max(3600).default(20),
    'How long one statement waits for a row that another transaction holds; 0 for no limit.',
  ),
  databaseIdleTransactionSeconds: setting(
    'DATABASE_IDLE_TRANSACTION_SECONDS',
    z.number().min(0).max(3600).default(60),
    'After how long the server ends a transaction whose process has gone silent, so that its rows are free again; 0 for never.',
  ),
  migrate: setting(
    'ADIT_MIGRATE',
    z.boolean().default(true),
    'Whether a process brings the database to its release when it starts. With `off` it waits until `adit migrate` has, and its user need not own the tables.',
  ),
  databaseMigrationUrl: setting(
    'DATABASE_MIGRATION_URL',
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'As DATABASE_URL, for migrations alone: another user, who owns the tables, or the server itself where DATABASE_URL names a pooler. Default: DATABASE_URL.',
    { secret: true },
  ),
  databaseMigrationSeconds: setting(
    'DATABASE_MIGRATION_SECONDS',
    z.int().min(1).max(86_400).default(240),
    'How long migrations wait for what another session holds, and a process for migrations with `ADIT_MIGRATE=off`. The log says whom they wait for. How long they work has no limit.',
  ),
  databasePrepare: setting(
    'DATABASE_PREPARE',
    z.boolean().optional(),
    'Prepare statements that come again. Default: true, and false through a pooler, unless that is known to keep them (PgBouncer 1.21 or later with max_prepared_statements).',
  ),
});
export type DatabaseSettings = z.infer<typeof DatabaseSettings>;

/**
 * Returns the database of the settings; the embedded one lies below `dataDir`. The server shows `applicationName` in
 * pg_stat_activity. Throws VALIDATION when the driver lacks a setting.
 */
export function databaseConfig(
  config: DatabaseSettings & Pick<BaseConfig, 'databaseDriver'>,
  dataDir: string,
  applicationName = 'adit',
): DatabaseConfig {
  switch (config.databaseDriver) {
    case 'pglite':
      return { driver: 'pglite', directory: join(dataDir, EMBEDDED_DATABASE), migrate: config.migrate };
    case 'postgres':
      if (config.databaseUrl === undefined) {
        throw new AditError('VALIDATION', 'DATABASE_DRIVER is postgres: set DATABASE_URL to the server to use.');
      }
      return {
        driver: 'postgres',
        url: config.databaseUrl,
        caFile: config.databaseSslCaFile,
        certFile: config.databaseSslCertFile,
        keyFile: config.databaseSslKeyFile,
        applicationName,
        poolSize: config.databasePoolSize,
        connectSeconds: config.databaseConnectSeconds,
        acquireSeconds: config.databaseAcquireSeconds,
        statementSeconds: config.databaseStatementSeconds,
        lockSeconds: config.databaseLockSeconds,
        idleTransactionSeconds: config.databaseIdleTransactionSeconds,
        prepare: config.databasePrepare,
        migrate: config.migrate,
        migrationUrl: config.databaseMigrationUrl,
        migrationSeconds: config.databaseMigrationSeconds,
      };
  }
}
