import { MigrationExecutor, type DataSource } from 'typeorm';

/** Any number, the same in every process: "adit" in ASCII. */
const MIGRATION_LOCK = 0x61646974;

/**
 * Runs the migrations that are missing, each in a transaction of its own. Processes that start together take turns by an
 * advisory lock; it is held on the connection that runs the migrations, so it also works where there is only one.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}
