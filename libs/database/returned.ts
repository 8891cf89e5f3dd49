/**
 * Rows of a statement with RETURNING: of an UPDATE or DELETE TypeORM's driver returns [rows, count], of others the
 * rows. The caller asserts their type.
 */
export function returned<T>(result: unknown): T[] {
  return (Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result) as T[];
}
