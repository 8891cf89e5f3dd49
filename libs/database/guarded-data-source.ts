import { DataSource, type DataSourceOptions, type QueryRunner, type ReplicationMode } from 'typeorm';
import { isUnavailable, toAditError } from './errors.js';
import { refuseInside } from './transaction.js';

/**
 * A DataSource that refuses a query beside a running transaction. With one session (PGlite) such a query would wait for
 * ever for the connection that its own transaction holds; with many it would not see what the transaction wrote.
 * A query that finds no database throws UNAVAILABLE, within a transaction or not: nobody's work is to blame for it.
 */
export class GuardedDataSource extends DataSource {
  constructor(
    options: DataSourceOptions,
    readonly isShared = false,
  ) {
    super(options);
  }

  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    refuseInside(this, 'query');
    const runner = super.createQueryRunner(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    runner.query = ((...args: unknown[]) =>
      query(...args).catch((error: unknown) => {
        throw isUnavailable(error) ? toAditError(error) : error;
      })) as typeof runner.query;
    return runner;
  }
}

/** Other processes may work on this database at the same time; an embedded one is this process's alone. */
export function isShared(dataSource: DataSource): boolean {
  return dataSource instanceof GuardedDataSource && dataSource.isShared;
}
