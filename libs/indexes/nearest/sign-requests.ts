/** Request to the thread that holds signs; requests are served in order. */
export type SignRequest =
  /** Adds or changes rows of a table. `rows` are of equal length, in `form`. Not answered. */
  | { kind: 'set'; table: number; dimensions: number; ids: string; rows: Uint8Array; form: RowForm }
  /** The answer is a SignReply. */
  | { kind: 'nearest'; table: number; signs: Uint8Array; count: number }
  /** Not answered. */
  | { kind: 'drop'; table: number };

/** Signs as pgvector sends bits, or real numbers as PostgreSQL sends an array. */
export type RowForm = 'bits' | 'reals';

/** Ids; null when there is no such table. */
export type SignReply = string[] | null;

/** Every index_id has ten digits; `ids` of a request are concatenated. */
export const ID_LENGTH = 10;
