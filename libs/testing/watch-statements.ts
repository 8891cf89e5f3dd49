import type { DataSource } from 'typeorm';

/** Calls `asked` with each statement that is sent to a PostgreSQL through this data source, until it is stopped. */
export function watchStatements(dataSource: DataSource, asked: (sql: string) => void): { stop: () => void } {
  const { createQueryRunner, query: read } = dataSource;
  const told = (args: unknown[]) => asked(String(args[0]));
  dataSource.query = function (...args) {
    // With a runner it is told by that.
    if (args[2] === undefined) told(args);
    return read.apply(this, args) as Promise<never>;
  };
  dataSource.createQueryRunner = function (...args) {
    const runner = createQueryRunner.apply(this, args);
    const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<unknown>;
    runner.query = ((...given: unknown[]) => {
      told(given);
      return query(...given);
    }) as typeof runner.query;
    return runner;
  };
  return { stop: () => void Object.assign(dataSource, { createQueryRunner, query: read }) };
}
