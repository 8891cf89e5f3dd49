/** Database of a process. Apps read it from the configuration (settings.ts), never from the environment here. */
export type DatabaseConfig = PgliteConfig | PostgresConfig;

/** PostgreSQL embedded in the process (PGlite), one session. */
export interface PgliteConfig {
  driver: 'pglite';
  /** Folder of the data files; null keeps them in memory until close. */
  directory: string | null;
  /** fsync at every commit, so that a commit survives the loss of power; a killed process loses nothing either way. Default true. */
  durable?: boolean;
  /** Seconds to wait for the one connection before giving up with UNAVAILABLE. Default 30. */
  acquireSeconds?: number;
  /** Migrate the schema first; otherwise it has to be current. Default true. */
  migrate?: boolean;
}

/** A PostgreSQL server (14 or later), shared by all processes. 0 seconds means no limit. */
export interface PostgresConfig {
  driver: 'postgres';
  /** postgresql://user:password@host:port/name?sslmode=… */
  url: string;
  /** PEM file of a private authority; turns TLS on, certificate and host name verified. */
  caFile?: string;
  /** PEM files of the client's certificate and its key, both or neither; they require TLS. */
  certFile?: string;
  keyFile?: string;
  /** Name in pg_stat_activity. Default adit. */
  applicationName?: string;
  /** Maximum connections of this process. Default 10. */
  poolSize?: number;
  /** Seconds to keep trying when the server cannot be reached at the start. Default 60. */
  connectSeconds?: number;
  /** Seconds to wait for a free connection, or for the server to accept one, before UNAVAILABLE. Default 10. */
  acquireSeconds?: number;
  /** Seconds that a statement may run. Default 60. */
  statementSeconds?: number;
  /** Seconds that a statement waits for a lock. Default 20. */
  lockSeconds?: number;
  /** Seconds of inactivity after which the server ends a transaction. Default 60. */
  idleTransactionSeconds?: number;
  /** Prepare repeated statements. Default true, and false through a pooler that drops start parameters. */
  prepare?: boolean;
  /** Migrate the schema first; otherwise another process does, and this one waits. Default true. */
  migrate?: boolean;
  /** Connection URL for the migrations alone: another user, or past a pooler. Default `url`. */
  migrationUrl?: string;
  /** Seconds that migrations wait for a lock that others hold, and that a process waits for migrations. Default 240. */
  migrationSeconds?: number;
}
