import type { DataSourceOptions } from 'typeorm';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Parts of a driver: TypeORM's connection options, and the cleanup after the data source has been closed. */
export interface DatabaseDriver {
  options: PostgresOptions;
  /** Other processes may use the database at the same time. */
  isShared: boolean;
  /** A pooler may give every transaction another session. */
  isPooled?: boolean;
  /** Time limit of beginning, with a server that does not answer. */
  connectSeconds: number;
  /** Time limit of migrations that wait for others, and of a process that waits for migrations. */
  migrationSeconds: number;
  /** Options of the migrations' connection, when the usual ones would limit them. Throws as opening does. */
  migrationOptions?: () => Promise<PostgresOptions>;
  close(): Promise<void>;
}
