import type { ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/**
 * Values for an insert or update, checked against the entity. TypeORM's own type recurses into JSON columns
 * endlessly; a plain partial does not.
 */
export function columns<E extends ObjectLiteral>(values: Partial<E>): QueryDeepPartialEntity<E> {
  return values;
}
