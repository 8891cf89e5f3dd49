import type { DataSource } from 'typeorm';

interface SchemaDifference {
  /** SQL that changes the database to match the entities. */
  up: string[];
  /** SQL that reverts it. */
  down: string[];
}

/** Returns the difference between the migrated database and the entities. Changes nothing. */
export async function schemaDifference(dataSource: DataSource): Promise<SchemaDifference> {
  const log = await dataSource.driver.createSchemaBuilder().log();
  return {
    up: log.upQueries.map(({ query }) => query),
    // Reverted in the opposite order.
    down: log.downQueries.map(({ query }) => query).reverse(),
  };
}

/** Empty when the migrations and the entities agree; else the statements that a migration lacks. */
export async function schemaDifferences(dataSource: DataSource): Promise<string[]> {
  return (await schemaDifference(dataSource)).up;
}
