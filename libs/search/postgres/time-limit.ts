import { isStatementTimeout } from '@adit/database';
import type { EntityManager } from 'typeorm';

/**
 * What a piece of work in a transaction answers; null when one of its statements took longer. The transaction survives that,
 * and has its former limit afterwards.
 */
export async function within<T>(
  manager: EntityManager,
  limitMs: number,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T | null> {
  try {
    // A savepoint, as it is in a transaction.
    return await manager.transaction(async (limited) => {
      const [{ former }]: [{ former: string }] = await limited.query(
        `SELECT current_setting('statement_timeout') AS former`,
      );
      await limitStatements(limited, limitMs);
      const answer = await work(limited);
      // What a savepoint sets outlives it, unless it is rolled back.
      await limited.query(`SELECT set_config('statement_timeout', $1, true)`, [former]);
      return answer;
    });
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}

/** Until the end of the transaction, or of work that is limited. */
export async function limitStatements(manager: EntityManager, limitMs: number): Promise<void> {
  await manager.query(`SELECT set_config('statement_timeout', $1, true)`, [String(Math.max(1, Math.ceil(limitMs)))]);
}
