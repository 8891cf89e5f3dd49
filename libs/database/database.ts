import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay, createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import type { DatabaseConfig } from './config.js';
import type { DatabaseDriver } from './driver.js';
import { ENTITIES, SnakeNaming } from './entities/index.js';
import { isUnavailable, toAditError } from './errors.js';
import { GuardedDataSource } from './guarded-data-source.js';
import { vacuumPeriodically } from './pglite/vacuum.js';
import { awaitMigrations, migrate } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { openPglite } from './pglite/pglite.js';
import { openPostgres } from './postgres/postgres.js';

const log = createLogger('database');

export interface Database {
  dataSource: DataSource;
  /** A pooler may give every transaction another session: the time limits are set in each transaction. */
  isPooled: boolean;
  /** Waits for running queries, closes the connections, stops an embedded server. Safe to call twice. */
  close(): Promise<void>;
}

interface OpenOptions {
  /**
   * Migrate the schema first, wait until it is current, or use it as it is. Default: the first or second, see the
   * configuration.
   */
  schema?: 'migrate' | 'await' | 'take';
  /** Interval of the embedded server's vacuum, in milliseconds. Default a minute. */
  vacuumMs?: number;
}

const SCHEMA = {
  entities: ENTITIES,
  migrations: MIGRATIONS,
  migrationsTableName: 'migrations',
  migrationsTransactionMode: 'each' as const,
  namingStrategy: new SnakeNaming(),
  synchronize: false,
};

/** Pause between attempts to begin: every process of an installation may be starting. */
const AGAIN = { baseMs: 500, maxMs: 10_000 };

/**
 * Opens the process's database and migrates its schema, or waits until it is current. A server that does not answer
 * in time or is out of connections is asked again for `connectSeconds`, since a process that gave up would only be
 * restarted. Throws UNAVAILABLE when it cannot be reached, or when an embedded one is in use by another process;
 * CONFLICT when its schema is too old and could not be or was not to be migrated.
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions = {}): Promise<Database> {
  const began = performance.now();
  const driver = await openDriver(config);
  for (let failures = 1; ; failures++) {
    try {
      return await begin(driver, { schema: config.migrate === false ? 'await' : 'migrate', ...options });
    } catch (thrown) {
      const error = isUnavailable(thrown) ? toAditError(thrown) : thrown;
      const pause = backoffDelay(failures, AGAIN);
      const isInTime = performance.now() + pause - began < driver.connectSeconds * 1000;
      if (!isInTime || toAditError(thrown).code !== 'UNAVAILABLE') {
        await driver.close();
        throw error;
      }
      log.warn({ err: error, againInMs: Math.round(pause) }, 'the database could not be opened; it is retried');
      await sleep(pause);
    }
  }
}

async function begin(driver: DatabaseDriver, { schema, vacuumMs }: OpenOptions): Promise<Database> {
  if (schema === 'migrate' && driver.migrationOptions) {
    await migrateApart(await driver.migrationOptions(), driver.migrationSeconds);
  }
  // The data source follows the one that migrates: the gauge of a full database reads the last one made.
  const dataSource = new GuardedDataSource({ ...driver.options, ...SCHEMA }, driver.isShared);
  let closing: Promise<void> | undefined;
  const disconnect = async (): Promise<void> => {
    if (dataSource.isInitialized) await dataSource.destroy();
  };
  let endVacuum: (() => Promise<void>) | undefined;
  const close = async (): Promise<void> => {
    await endVacuum?.();
    await disconnect();
    await driver.close();
  };
  try {
    await dataSource.initialize();
    if (schema === 'migrate' && !driver.migrationOptions) await migrate(dataSource);
    // Checked after migrating too, which may have been as another user.
    if (schema !== 'take') await awaitMigrations(dataSource, schema === 'await' ? driver.migrationSeconds : 0);
  } catch (error) {
    await disconnect();
    throw error;
  }
  if (!driver.isShared) endVacuum = vacuumPeriodically(dataSource, vacuumMs);
  return { dataSource, isPooled: driver.isPooled ?? false, close: () => (closing ??= close()) };
}

/** Migrates over a connection of its own, which is closed again. */
async function migrateApart(options: DatabaseDriver['options'], seconds: number): Promise<void> {
  const dataSource = await new GuardedDataSource({ ...options, ...SCHEMA }, true).initialize();
  try {
    await migrate(dataSource, seconds);
  } finally {
    await dataSource.destroy();
  }
}

/** Selects the driver; no other place knows the drivers by name. */
function openDriver(config: DatabaseConfig): Promise<DatabaseDriver> {
  switch (config.driver) {
    case 'pglite':
      return openPglite(config);
    case 'postgres':
      return openPostgres(config);
  }
}
