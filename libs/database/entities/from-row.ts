import { allColumnsOf } from './table-columns.js';

/** Makes an entity of a row of raw SQL (`SELECT t.*`), with the names of its properties. */
export function fromRow<E extends object>(entity: new () => E, row: Record<string, unknown>): E {
  const read: Record<string, unknown> = {};
  for (const { property, name } of allColumnsOf(entity)) read[property] = row[name];
  return Object.assign(new entity(), read);
}
