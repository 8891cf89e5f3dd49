import type { DataSource } from 'typeorm';

interface SchemaDifference {
  /** SQL that brings the database to the entities. */
  up: string[];
  /** SQL that takes it back. */
  down: string[];
}

/** What lies between the migrated database and the entities. Nothing is changed. */
export async function schemaDifference(dataSource: DataSource): Promise<SchemaDifference> {
  const log = await dataSource.driver.createSchemaBuilder().log();
  return {
    up: log.upQueries.map(({ query }) => query),
    // Undone in the opposite order.
    down: log.downQueries.map(({ query }) => query).reverse(),
  };
}

/** Empty when the migrations and the entities agree; else the statements that a migration lacks. */
export async function schemaDifferences(dataSource: DataSource): Promise<string[]> {
  return (await schemaDifference(dataSource)).up;
}
