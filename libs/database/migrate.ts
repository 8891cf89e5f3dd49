import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { isForbidden, isLockTimeout, isTransient } from './errors.js';
import { isShared } from './guarded-data-source.js';
import { Blockers } from './migration-blockers.js';
import { prepareVectorIndexes } from './vector-indexes.js';

const log = createLogger('database');
/** Any number, the same in every process and every build: "adit" in ASCII. */
const MIGRATION_LOCK = 0x61646974;
/** `DATABASE_MIGRATION_SECONDS`, unless it is set. */
export const MIGRATION_SECONDS = 240;
const POLL_MS = 250;
/** For so long a statement waits for a table, and everybody who comes later waits behind it; then they have their turn for as long. */
const [LOCK_MS, PAUSE_MS] = [3_000, 3_000];

/**
 * Runs the migrations that are missing, one after the other, and makes the indexes over embeddings that a server may lack.
 * Processes that start together take turns by an advisory lock of transactions, which no pooler keeps for somebody else. What
 * others hold is waited for in short turns, and told. Throws CONFLICT with who holds it when nothing came of that in `seconds`.
 */
export async function migrate(dataSource: DataSource, seconds = MIGRATION_SECONDS): Promise<void> {
  const blockers = new Blockers(dataSource, seconds, MIGRATION_LOCK);
  while ((await missingMigrations(dataSource)).length > 0) {
    await inTurn(dataSource, blockers, (runner) => migrateOnce(dataSource, runner, blockers));
  }
  await prepareEmbeddings(dataSource);
}

/** Runs the first migration that is missing by now, and records it. `runner`: in a transaction with the lock. */
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
      // Its session has waited for all of the time, and kept nobody else waiting.
      throw isLockTimeout(error) || blockers.hasCancelled ? blockers.givenUp(error) : error;
    });
  } else {
    await runner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await inShortTurns(runner, blockers, () => run(runner));
  }
  log.debug({ migration: next.name }, 'the database was migrated');
}

/** In a transaction that holds the lock, when that can be had. */
async function inTurn(
  dataSource: DataSource,
  blockers: Blockers,
  work: (runner: QueryRunner) => Promise<void>,
): Promise<void> {
  while (!(await lockedOnce(dataSource, work))) {
    await blockers.lookForOtherMigration();
    if (blockers.isTimeOver()) throw blockers.givenUp();
    await sleep(POLL_MS);
  }
  blockers.gone();
}

/** Again and again, with the lock of migrations kept, until those of tables are had, too. */
async function inShortTurns(runner: QueryRunner, blockers: Blockers, work: () => Promise<void>): Promise<void> {
  for (;;) {
    // What is rolled back to it gives the locks of tables back.
    await runner.query('SAVEPOINT turn');
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) && !isTransient(error) && !blockers.hasCancelled) throw error;
      await runner.query('ROLLBACK TO SAVEPOINT turn');
      if (blockers.isTimeOver()) throw blockers.givenUp(error);
    }
    await sleep(PAUSE_MS);
  }
}

/**
 * Works in a transaction that holds the lock; false when another process does. It is not waited for: a statement that waited would be
 * one that CREATE INDEX CONCURRENTLY of who holds it waits for. An embedded database is nobody else's.
 */
async function lockedOnce(dataSource: DataSource, work: (runner: QueryRunner) => Promise<void>): Promise<boolean> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    // Without a parameter: what is left of such a statement would keep a snapshot, for which an index would wait, too.
    const lock = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`;
    const rows: { locked: boolean }[] = isShared(dataSource) ? await runner.query(lock) : [{ locked: true }];
    if (!rows.some(({ locked }) => locked)) return false;
    // It does nothing for as long as others are waited for, or work goes on outside of it.
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // Start parameters say so, unless a pooler leaves them out.
    await runner.query('SET LOCAL statement_timeout = 0');
    await work(runner);
    if (runner.isTransactionActive) await runner.commitTransaction();
    return true;
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
  }
}

/** What cannot be done in a transaction, while that of `holder` keeps the lock; an embedded database has one session for both. */
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

/** Searches do without them: nobody's start waits for another process that is at it. */
async function prepareEmbeddings(dataSource: DataSource): Promise<void> {
  const isDone = await lockedOnce(dataSource, (holder) => outsideOf(dataSource, holder, prepareVectorIndexes));
  if (!isDone) log.debug('another process is about the database; indexes over embeddings are left to it');
}

/**
 * Waits until somebody else has brought the schema to this release or beyond, at most so many seconds; not at all for an embedded
 * database, which is nobody else's meanwhile. Throws CONFLICT with what to run, VALIDATION when this user may not look.
 */
export async function awaitMigrations(dataSource: DataSource, seconds: number): Promise<void> {
  const began = performance.now();
  for (let isTold = false; ; isTold = true) {
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
    if (!isTold) log.warn({ missing: missing.length, seconds }, `${lacks}: waiting for "adit migrate" of this release`);
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
