import type { DataSourceOptions } from 'typeorm';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** What a driver file gives: TypeORM's connection options, and what to end when the data source has been closed. */
export interface DatabaseDriver {
  options: PostgresOptions;
  /** Other processes may use the database at the same time. */
  isShared: boolean;
  /** For how long beginning may take, a server that does not answer included. */
  connectSeconds: number;
  /** Options of a connection for the migrations, when those of work would limit them. */
  migrationOptions?: PostgresOptions;
  close(): Promise<void>;
}
