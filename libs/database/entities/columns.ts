import type { ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/**
 * Values for an insert or update, checked against the entity. TypeORM's own type looks into JSON columns, where it finds
 * no end; a plain partial says what is meant.
 */
export function columns<E extends ObjectLiteral>(values: Partial<E>): QueryDeepPartialEntity<E> {
  return values;
}
