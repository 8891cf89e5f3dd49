type Query = (...args: never[]) => Promise<unknown>;

/** What a TypeORM DataSource sends statements by. */
interface Source {
  query: Query;
  createQueryRunner: (...args: never[]) => { query: Query };
}

/** Calls `asked` with each statement that is sent to a PostgreSQL through this data source, until it is stopped. */
export function watchStatements(dataSource: Source, asked: (sql: string) => void): { stop: () => void } {
  const { query, createQueryRunner } = dataSource;
  Object.assign(dataSource, {
    query(...args: never[]) {
      // With a runner it is told by that.
      if (args[2] === undefined) asked(String(args[0]));
      return query.apply(this, args);
    },
    createQueryRunner(...made: never[]) {
      const runner = createQueryRunner.apply(this, made);
      const ask = runner.query.bind(runner);
      runner.query = (...args: never[]) => {
        asked(String(args[0]));
        return ask(...args);
      };
      return runner;
    },
  });
  return { stop: () => void Object.assign(dataSource, { query, createQueryRunner }) };
}
