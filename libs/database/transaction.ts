import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { currentContext, withContext } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { isAborted, isConnectionReleased, isTransient, isUnavailable, toAditError } from './errors.js';
import { interceptQueries } from './intercepted-queries.js';

const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 10;

class Running {
  /** Work that outlives the callback keeps this context after the transaction has ended. */
  ended = false;

  constructor(readonly dataSource: DataSource) {}
}

/** Transaction of the current context. */
const RUNNING = Symbol('transaction');

/** Writes that share a transaction with others. */
export type Beside = (manager: EntityManager) => Promise<void>;

interface TransactionOptions {
  /** Default READ COMMITTED. */
  isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
}

/**
 * Runs `work` in one transaction: all of what it does through its `manager` is committed, or nothing when it throws. After a
 * serialization failure or a deadlock the whole of `work` runs again, up to 6 times, so it must have no other effects.
 * Throws UNAVAILABLE when the database is gone or the collisions do not end; whatever else `work` throws passes unchanged.
 * A statement's error that `work` swallows is thrown all the same, unless a savepoint was rolled back for it: PostgreSQL has
 * given the transaction up by then, and would answer COMMIT by undoing everything without a word.
 * A transaction within a transaction is refused: it would wait for the outer one's connection. Hand on the manager instead.
 */
export async function inTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  refuseInside(dataSource, 'start a transaction');
  const guarded = (manager: EntityManager) => marked(dataSource, () => refuseAborted(manager, work));
  // READ COMMITTED is the session's own; naming it would cost a statement.
  return persistently(() =>
    options.isolation === undefined
      ? dataSource.transaction(guarded)
      : dataSource.transaction(options.isolation, guarded),
  );
}

/**
 * Runs one statement, which is a transaction of its own and costs one way to the server instead of three; it is repeated and
 * its errors are told as those of `inTransaction`. For statements with RETURNING behind WITH, or SELECT: answers their rows.
 */
export function inStatement<T>(dataSource: DataSource, sql: string, parameters: unknown[]): Promise<T[]> {
  refuseInside(dataSource, 'start a transaction');
  return persistently(() => dataSource.query<T[]>(sql, parameters));
}

async function persistently<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (isConnectionReleased(error)) {
        throw new AditError('UNAVAILABLE', 'The connection to the database was lost.', { cause: error });
      }
      if (isUnavailable(error)) throw toAditError(error);
      if (!isTransient(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw toAditError(error);
      // Full jitter, so that two transactions that met once do not meet again.
      await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
    }
  }
}

/** Runs `work` as if it had been called outside: for what a transaction starts and does not wait for (a nudge, a timer). */
export function outsideTransaction<T>(work: () => T): T {
  return withContext({ [RUNNING]: undefined }, work);
}

/** Throws INTERNAL when called within a transaction of this data source; `what` completes the sentence. */
export function refuseInside(dataSource: DataSource, what: string): void {
  const current = currentContext()[RUNNING];
  if (!(current instanceof Running) || current.ended || current.dataSource !== dataSource) return;
  throw new AditError(
    'INTERNAL',
    `Code inside a transaction tried to ${what} beside it. Use the transaction's own manager, or outsideTransaction().`,
  );
}

async function marked<T>(dataSource: DataSource, work: () => Promise<T>): Promise<T> {
  const mark = new Running(dataSource);
  try {
    return await withContext({ [RUNNING]: mark }, work);
  } finally {
    mark.ended = true;
  }
}

async function refuseAborted<T>(manager: EntityManager, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  const runner = manager.queryRunner;
  if (!runner) return work(manager);
  const failures: unknown[] = [];
  // The runner lives for this transaction only.
  interceptQueries(runner, async (query, args) => {
    try {
      return await query(...args);
    } catch (error) {
      if (!isAborted(error)) failures.push(error);
      throw error;
    }
  });
  const result = await work(manager);
  if (failures.length > 0) {
    const last = failures.at(-1);
    await runner.query('SELECT 1').catch(() => {
      throw last;
    });
  }
  return result;
}
