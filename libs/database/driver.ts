import type { DataSourceOptions } from 'typeorm';

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** What a driver file gives: TypeORM's connection options, and what to end when the data source has been closed. */
export interface DatabaseDriver {
  options: PostgresOptions;
  /** Other processes may use the database at the same time. */
  isShared: boolean;
  /** What is in between may give every transaction another session. */
  isPooled?: boolean;
  /** For how long beginning may take, a server that does not answer included. */
  connectSeconds: number;
  /** For how long migrations wait for others, or a process for migrations. */
  migrationSeconds: number;
  /** How to connect for the migrations, when the options of work would limit them. Throws as opening does. */
  migrationOptions?: () => Promise<PostgresOptions>;
  close(): Promise<void>;
}
