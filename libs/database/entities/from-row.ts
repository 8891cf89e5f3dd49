import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';

/** SQL: the columns of an entity's table under an alias that `find` would read. */
export function selectedColumns<E extends ObjectLiteral>(
  manager: EntityManager,
  target: EntityTarget<E>,
  alias: string,
): string {
  const { columns } = manager.connection.getMetadata(target);
  return columns.flatMap(({ isSelect, databaseName }) => (isSelect ? [`${alias}."${databaseName}"`] : [])).join(', ');
}

/** An entity of a row that SQL of our own selected (`SELECT t.*`), under the names of its properties. */
export function fromRow<E extends ObjectLiteral>(
  manager: EntityManager,
  target: EntityTarget<E>,
  row: Record<string, unknown>,
): E {
  const metadata = manager.connection.getMetadata(target);
  const entity = metadata.create() as Record<string, unknown>;
  for (const { propertyName, databaseName } of metadata.columns) entity[propertyName] = row[databaseName];
  return entity as E;
}
