import { getMetadataArgsStorage, type ColumnType } from 'typeorm';
import { columnNameOf } from './naming.js';

type EntityClass<E> = new () => E;

/** A column of an entity's table. */
export interface TableColumn {
  /** Name in code. */
  property: string;
  /** Name in SQL. */
  name: string;
  type: ColumnType;
  /** Selected by default; otherwise only on request. */
  isRead: boolean;
}

/**
 * Returns the columns of an entity's table in the order of its properties: those selected by default, or those of the
 * named properties. Raw SQL takes its lists from here, so that a new column is only a property of the entity. Throws
 * a RangeError for a property without a column.
 */
export function columnsOf<E extends object>(
  entity: EntityClass<E>,
  properties?: readonly (keyof E & string)[],
): TableColumn[] {
  const all = allColumnsOf(entity);
  if (properties === undefined) return all.filter(({ isRead }) => isRead);
  return properties.map((property) => {
    const column = all.find((candidate) => candidate.property === property);
    if (column === undefined) throw new RangeError(`${entity.name} has no column ${property}.`);
    return column;
  });
}

const known = new Map<EntityClass<object>, TableColumn[]>();

/** Returns all columns, also those that are selected only on request. */
export function allColumnsOf(entity: EntityClass<object>): TableColumn[] {
  let columns = known.get(entity);
  if (columns === undefined) {
    columns = getMetadataArgsStorage()
      .filterColumns(lineageOf(entity))
      .map(({ propertyName, options }) => ({
        property: propertyName,
        name: columnNameOf(options.name ?? propertyName),
        type: options.type ?? 'text',
        isRead: options.select !== false,
      }));
    known.set(entity, columns);
  }
  return columns;
}

/** Returns a class and its base classes: their columns are its own. */
function lineageOf(entity: EntityClass<object>): EntityClass<object>[] {
  const parent = Object.getPrototypeOf(entity) as EntityClass<object> | null;
  return parent === null ? [] : [entity, ...lineageOf(parent)];
}

/** SQL: `j."time_created", …` */
export function columnNames(columns: readonly TableColumn[], alias?: string): string {
  const table = alias === undefined ? '' : `${alias}.`;
  return columns.map(({ name }) => `${table}"${name}"`).join(', ');
}

/** SQL: `j."time_created" AS "timeCreated", …`, whose rows have the names of the entity. */
export function columnSelection(columns: readonly TableColumn[], alias: string): string {
  return columns.map(({ name, property }) => `${alias}."${name}" AS "${property}"`).join(', ');
}

/** SQL: `"timeCreated" timestamptz, …`, a record definition for JSON objects with the entity's properties. */
export function recordColumns(columns: readonly TableColumn[]): string {
  return columns.map(({ property, type }) => `"${property}" ${String(type)}`).join(', ');
}

/** SQL: `r."timeCreated", …` of such a record. */
export function recordFields(columns: readonly TableColumn[], record: string): string {
  return columns.map(({ property }) => `${record}."${property}"`).join(', ');
}

/** SQL: `"time_created" = r."timeCreated", …` */
export function assignments(columns: readonly TableColumn[], record: string): string {
  return columns.map(({ name, property }) => `"${name}" = ${record}."${property}"`).join(', ');
}

/** Values of an entity in these columns, as such a record. */
export function valuesOf(entity: object, columns: readonly TableColumn[]): Record<string, unknown> {
  const values = entity as Record<string, unknown>;
  return Object.fromEntries(columns.map(({ property }) => [property, values[property]]));
}
