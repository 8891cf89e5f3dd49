import { setTimeout as sleep } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { prepareVectorIndexes } from './vector-indexes.js';

/** Any number, the same in every process: "adit" in ASCII. */
const MIGRATION_LOCK = 0x61646974;
const POLL_MS = 250;

/**
 * Runs the migrations that are missing, each in a transaction of its own, and makes the indexes that a server may lack. Processes that start together take turns by an
 * advisory lock; it is held on the connection that runs the migrations, so it also works where there is only one.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  let locked = false;
  try {
    // Asked again and again: a statement that waited for it would be one that CREATE INDEX CONCURRENTLY waits for.
    while (!(locked = await tryLock(runner))) await sleep(POLL_MS);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
    await prepareVectorIndexes(runner);
  } finally {
    if (locked) await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
}

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const sql = 'SELECT pg_try_advisory_lock($1) AS locked';
  const rows: { locked: boolean }[] = await runner.query(sql, [MIGRATION_LOCK]);
  return rows.some(({ locked }) => locked);
}
