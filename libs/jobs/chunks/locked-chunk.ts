/**
 * SQL: the part `chunk` of a WITH clause, which locks a chunk. Whoever changes an analysis and its chunk by one statement or
 * transaction locks the chunk first, so that no two wait for each other: each change asks for CHUNK_IS_LOCKED. The order of the
 * statement says nothing: PostgreSQL runs changes that nothing reads from the last to the first.
 */
export function lockedChunk(id: string, condition = 'true'): string {
  return `chunk AS MATERIALIZED (SELECT media_counted FROM chunks WHERE id = ${id} AND ${condition} FOR NO KEY UPDATE)`;
}

export const CHUNK_IS_LOCKED = 'EXISTS (SELECT FROM chunk)';
