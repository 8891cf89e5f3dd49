/**
 * The rows of a statement with RETURNING: of an UPDATE or DELETE TypeORM's driver gives [rows, count], of others the rows.
 * Their type is the caller's word for what the statement names.
 */
export function returned<T>(result: unknown): T[] {
  return (Array.isArray(result) && Array.isArray(result[0]) ? result[0] : result) as T[];
}
