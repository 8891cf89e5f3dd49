import { allColumnsOf } from './table-columns.js';

/** An entity of a row that SQL of our own selected (`SELECT t.*`), under the names of its properties. */
export function fromRow<E extends object>(entity: new () => E, row: Record<string, unknown>): E {
  const read: Record<string, unknown> = {};
  for (const { property, name } of allColumnsOf(entity)) read[property] = row[name];
  return Object.assign(new entity(), read);
}
