import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { isForbidden, isLockTimeout, isTransient } from './errors.js';
import { isShared } from './guarded-data-source.js';
import { Blockers } from './migration-blockers.js';
import { prepareTextIndexes } from './text-indexes.js';
import { prepareVectorIndexes } from './vector-indexes.js';

const log = createLogger('database');
/** Advisory lock, the same in every process and build: "adit" in ASCII. */
const MIGRATION_LOCK = 0x61646974;
/** Default of `DATABASE_MIGRATION_SECONDS`. */
export const MIGRATION_SECONDS = 240;
const POLL_MS = 250;
/**
 * Time for which a statement waits for a table, with all later users behind it, and for which it then lets them run.
 */
const [LOCK_MS, PAUSE_MS] = [3_000, 3_000];

/**
 * Runs missing migrations, one after the other, and makes the indexes over embeddings that a server may lack.
 * Processes that start together are serialised by an advisory lock of transactions, which no pooler keeps for another
 * client. Locks of others are waited for in short intervals, and logged. Throws CONFLICT with the holder when a lock
 * is not free within `seconds`.
 */
export async function migrate(dataSource: DataSource, seconds = MIGRATION_SECONDS): Promise<void> {
  const blockers = new Blockers(dataSource, seconds, MIGRATION_LOCK);
  while ((await missingMigrations(dataSource)).length > 0) {
    await withMigrationLock(dataSource, blockers, (runner) => migrateOnce(dataSource, runner, blockers));
  }
  await prepareSearches(dataSource);
}

/** Runs the first missing migration, and records it. `runner` is in a transaction with the lock. */
async function migrateOnce(dataSource: DataSource, runner: QueryRunner, blockers: Blockers): Promise<void> {
  const [next] = await new MigrationExecutor(dataSource, runner).getPendingMigrations();
  if (next === undefined) return;
  const run = async (by: QueryRunner): Promise<void> => {
    await blockers.watch(
      next.name,
      async () => void (await new MigrationExecutor(dataSource, by).executeMigration(next)),
    );
  };
  if (next.instance?.transaction === false) {
    await outsideOf(dataSource, runner, run).catch((error: unknown) => {
      // Its session has waited for all of the time, without blocking others.
      throw isLockTimeout(error) || blockers.hasCancelled ? blockers.givenUp(error) : error;
    });
  } else {
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await withShortLockWaits(runner, blockers, () => run(runner));
  }
  log.debug({ migration: next.name }, 'the database was migrated');
}

/** Runs in a transaction that holds the lock, when it is free. */
async function withMigrationLock(
  dataSource: DataSource,
  blockers: Blockers,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  while (!(await lockedOnce(dataSource, work))) {
    await blockers.logOtherMigration();
    if (blockers.isTimeOver()) throw blockers.givenUp();
    await sleep(POLL_MS);
  }
  blockers.gone();
}

/** Retries in short intervals until the locks of tables are free, while it keeps the lock of migrations. */
async function withShortLockWaits(runner: QueryRunner, blockers: Blockers, work: () => Promise<void>): Promise<void> {
  for (;;) {
    // The rollback to it releases the locks of tables.
    await runner.query('SAVEPOINT lock_wait');
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) && !isTransient(error) && !blockers.hasCancelled) throw error;
      await runner.query('ROLLBACK TO SAVEPOINT lock_wait');
      if (blockers.isTimeOver()) throw blockers.givenUp(error);
    }
    await sleep(PAUSE_MS);
  }
}

/**
 * Runs in a transaction that holds the lock; false when another process holds it. It does not wait: CREATE INDEX
 * CONCURRENTLY in the holder's session would wait for a waiting statement. An embedded database has no other process.
 */
async function lockedOnce(dataSource: DataSource, work: (runner: QueryRunner) => Promise<void>): Promise<boolean> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    // The statement has no parameter: its portal would keep a snapshot, which an index build would wait for.
    const lock = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`;
    const rows: { locked: boolean }[] = isShared(dataSource) ? await runner.query(lock) : [{ locked: true }];
    if (!rows.some(({ locked }) => locked)) return false;
    // The transaction is idle while it waits for others, or work goes on outside of it.
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // Start parameters set it, unless a pooler drops them.
    await runner.query('SET LOCAL statement_timeout = 0');
    await work(runner);
    if (runner.isTransactionActive) await runner.commitTransaction();
    return true;
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/**
 * Runs what a transaction cannot do, while that of `holder` keeps the lock; an embedded database has one session for
 * both.
 */
async function outsideOf(
  dataSource: DataSource,
  holder: QueryRunner,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  if (!isShared(dataSource)) {
    await holder.rollbackTransaction();
    return work(holder);
  }
  const runner = dataSource.createQueryRunner();
  try {
    await work(runner);
  } finally {
    await runner.release();
  }
}

/** Searches work without them: a start does not wait for another process that makes them. */
async function prepareSearches(dataSource: DataSource): Promise<void> {
  const prepare = async (runner: QueryRunner): Promise<void> => {
    await prepareVectorIndexes(runner);
    await prepareTextIndexes(runner);
  };
  const isDone = await lockedOnce(dataSource, (holder) => outsideOf(dataSource, holder, prepare));
  if (!isDone) log.debug('another process migrates the database; indexes for searches are left to it');
}

/**
 * Waits until another process has migrated the schema to this release or beyond, at most so many seconds; not at all
 * for an embedded database, which no other process uses. Throws CONFLICT with the command to run, VALIDATION when
 * this user may not read the schema.
 */
export async function awaitMigrations(dataSource: DataSource, seconds: number): Promise<void> {
  const began = performance.now();
  for (let isLogged = false; ; isLogged = true) {
    const missing = await missingMigrations(dataSource);
    const [first] = missing;
    if (first === undefined) return;
    const lacks = `The database lacks ${missing.length} migrations of this release, ${first} to begin with`;
    if (!isShared(dataSource) || performance.now() - began > seconds * 1000) {
      throw new AditError(
        'CONFLICT',
        `${lacks}. Run "adit migrate" of this release against it, then start this again.`,
      );
    }
    if (!isLogged)
      log.warn({ missing: missing.length, seconds }, `${lacks}: waiting for "adit migrate" of this release`);
    await sleep(POLL_MS);
  }
}

async function missingMigrations(dataSource: DataSource): Promise<string[]> {
  try {
    const [table]: { exists: boolean }[] = await dataSource.query(
      `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
    );
    const done: { name: string }[] =
      table?.exists === true ? await dataSource.query('SELECT name FROM migrations') : [];
    const names = new Set(done.map(({ name }) => name));
    return dataSource.migrations.flatMap(({ name = '' }) => (names.has(name) ? [] : [name]));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new AditError(
      'VALIDATION',
      'The user of the database may not read the tables that another one made: grant it SELECT, INSERT, UPDATE and DELETE on them.',
      { cause: error },
    );
  }
}
