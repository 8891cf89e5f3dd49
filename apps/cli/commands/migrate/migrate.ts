import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { databaseConfig, DatabaseSettings, openDatabase } from '@adit/database';
import { BaseConfig, configureLogging, loadConfig } from '@adit/runtime';
import { z } from 'zod';

const MigrateConfig = z.object({ ...BaseConfig.shape, ...DatabaseSettings.shape });

/**
 * Runs the migrations that the configured database lacks, each in a transaction of its own, and says how many there were.
 * Throws UNAVAILABLE when the database cannot be reached, CONFLICT with who is in the way when a lock was not had in time.
 */
export async function migrateDatabase(): Promise<void> {
  const config = loadConfig(MigrateConfig);
  configureLogging({ level: config.logLevel, format: config.logFormat, to: 'stderr' });
  const dataDir = resolve(config.dataDir);
  if (config.databaseDriver === 'pglite') await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const { dataSource, close } = await openDatabase(databaseConfig(config, dataDir, 'adit-migrate'), {
    schema: 'migrate',
  });
  try {
    const [row]: { count: number }[] = await dataSource.query('SELECT count(*)::int AS count FROM migrations');
    process.stdout.write(`The database has all ${row?.count ?? 0} migrations of this release.\n`);
  } finally {
    await close();
  }
}
