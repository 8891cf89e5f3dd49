import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import type { DatabaseConfig } from './config.js';
import type { DatabaseDriver } from './driver.js';
import { ENTITIES, SnakeNaming } from './entities/index.js';
import { isUnavailable, toAditError } from './errors.js';
import { GuardedDataSource } from './guarded-data-source.js';
import { migrate } from './migrate.js';
import { MIGRATIONS } from './migrations/index.js';
import { openPglite } from './pglite.js';
import { openPostgres } from './postgres.js';

export interface Database {
  dataSource: DataSource;
  /** Waits for running queries, closes the connections, stops an embedded server. Safe to call twice. */
  close(): Promise<void>;
}

interface OpenOptions {
  /** Bring the schema up to date first. Default true. */
  migrate?: boolean;
}

const SCHEMA = {
  entities: ENTITIES,
  migrations: MIGRATIONS,
  migrationsTableName: 'migrations',
  migrationsTransactionMode: 'each' as const,
  namingStrategy: new SnakeNaming(),
  synchronize: false,
};

/**
 * Opens the process's database and brings its schema up to date. Throws UNAVAILABLE when it cannot be reached, or when an
 * embedded one is in use by another process.
 */
export async function openDatabase(config: DatabaseConfig, options: OpenOptions = {}): Promise<Database> {
  const driver = await openDriver(config);
  const dataSource = new GuardedDataSource({ ...driver.options, ...SCHEMA }, driver.isShared);
  let closing: Promise<void> | undefined;
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await driver.close();
  };
  try {
    if ((options.migrate ?? true) && driver.migrationOptions) await migrateApart(driver.migrationOptions);
    await dataSource.initialize();
    if ((options.migrate ?? true) && !driver.migrationOptions) await migrate(dataSource);
  } catch (error) {
    await close();
    throw isUnavailable(error) ? toAditError(error) : error;
  }
  return { dataSource, close: () => (closing ??= close()) };
}

/** Migrates over a connection of its own, which is closed again. */
async function migrateApart(options: DatabaseDriver['options']): Promise<void> {
  const dataSource = await new GuardedDataSource({ ...options, ...SCHEMA }, true).initialize();
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** The one place that knows the drivers by name. */
function openDriver(config: DatabaseConfig): Promise<DatabaseDriver> {
  switch (config.driver) {
    case 'pglite':
      return openPglite(config);
    case 'postgres':
      return openPostgres(config);
  }
}
