/** What the thread that keeps signs is asked for; requests come after each other as they were sent. */
export type SignRequest =
  /** Adds rows to a table, or changes them. `rows`: as long as each other, of `form`. Not answered. */
  | { kind: 'set'; table: number; dimensions: number; ids: string; rows: Uint8Array; form: RowForm }
  /** The answer is a SignReply. */
  | { kind: 'nearest'; table: number; signs: Uint8Array; count: number }
  /** Not answered. */
  | { kind: 'drop'; table: number };

/** Signs as pgvector sends bits, or real numbers as PostgreSQL sends an array. */
export type RowForm = 'bits' | 'reals';

/** Ids; null when there is no such table. */
export type SignReply = string[] | null;

/** Every index_id has ten digits, and `ids` of a request nothing between them. */
export const ID_LENGTH = 10;
