import type { AditError } from '@adit/contracts';
import { Fullness } from '@adit/runtime';
import type { Pool, QueryResult } from 'pg';
import { DataSource, QueryFailedError, type DataSourceOptions, type QueryRunner, type ReplicationMode } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { isDiskFull, isUnavailable, toAditError } from './errors.js';
import { interceptQueries } from './intercepted-queries.js';
import { databaseFull } from './metrics.js';
import { refuseInside } from './transaction.js';

/**
 * A DataSource that refuses a query beside a running transaction. With one session (PGlite) such a query would
 * deadlock on the connection that its own transaction holds; with many it would not see the transaction's writes. A
 * query without database throws UNAVAILABLE, within a transaction or not: it is not the work's fault.
 */
export class GuardedDataSource extends DataSource {
  /** PGlite speaks PostgreSQL's protocol too. */
  declare driver: PostgresDriver;

  /** Reading goes on when it is full. */
  readonly fullness = new Fullness(databaseFull);

  constructor(
    options: DataSourceOptions,
    readonly isShared = false,
  ) {
    super(options);
  }

  /**
   * SQL goes to the pool directly: a query runner and its events would be a good part of the cost of a small
   * statement.
   */
  override async query<T>(sql: string, parameters?: unknown[], queryRunner?: QueryRunner): Promise<T> {
    const pool: Pool | undefined = this.driver.master;
    if (queryRunner !== undefined || pool === undefined) return super.query<T>(sql, parameters, queryRunner);
    refuseInside(this, 'query');
    try {
      const { command, rows, rowCount } = await queryPool(pool, sql, parameters);
      // The result has TypeORM's form; its type is up to the caller.
      return (command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows) as T;
    } catch (error) {
      if (isUnavailable(error)) throw this.unavailable(error);
      // A driver throws nothing else; not `instanceof`, as a test runner's errors may be of another realm's class.
      throw new QueryFailedError(sql, parameters, error as Error);
    }
  }

  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    refuseInside(this, 'query');
    const runner = super.createQueryRunner(mode);
    interceptQueries(runner, async (query, args) => {
      try {
        return await query(...args);
      } catch (error) {
        throw isUnavailable(error) ? this.unavailable(error) : error;
      }
    });
    return runner;
  }

  private unavailable(error: unknown): AditError {
    const unavailable = toAditError(error);
    if (isDiskFull(error)) this.fullness.refused(unavailable);
    return unavailable;
  }
}

/** Queries unlike the pool's own `query`, which drops the connection of any statement that failed. */
async function queryPool(pool: Pool, sql: string, parameters?: unknown[]): Promise<QueryResult> {
  const client = await pool.connect();
  // The statement's own error reports a lost connection.
  client.on('error', ignore);
  let lost = false;
  try {
    return await client.query(sql, parameters);
  } catch (error) {
    // A server that ends a session says so before it closes the connection: it is not reused until then.
    lost = isUnavailable(error);
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(lost);
  }
}

function ignore(): void {}

/** Checks the health. Throws UNAVAILABLE when the database does not answer, or was full within the last minute. */
export async function ping(dataSource: DataSource): Promise<void> {
  if (dataSource instanceof GuardedDataSource) dataSource.fullness.check();
  await dataSource.query('SELECT 1');
}

/** True when other processes may use this database at the same time; an embedded one belongs to this process. */
export function isShared(dataSource: DataSource): boolean {
  return dataSource instanceof GuardedDataSource && dataSource.isShared;
}
