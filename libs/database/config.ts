/** Which database a process uses. Read from the configuration by the app (settings.ts), never from the environment here. */
export type DatabaseConfig = PgliteConfig | PostgresConfig;

/** PostgreSQL embedded in the process (PGlite), one session. */
export interface PgliteConfig {
  driver: 'pglite';
  /** A folder of its own for the data files; null keeps them in memory until close. */
  directory: string | null;
  /** fsync at every commit, so that a commit survives the loss of power; a killed process loses nothing either way. Default true. */
  durable?: boolean;
  /** Seconds to wait for the one connection before giving up with UNAVAILABLE. Default 30. */
  acquireSeconds?: number;
  /** Bring the schema up to date first; else it has to be. Default true. */
  migrate?: boolean;
}

/** A PostgreSQL server (14 or later), shared by all processes. 0 seconds means no limit. */
export interface PostgresConfig {
  driver: 'postgres';
  /** postgresql://user:password@host:port/name?sslmode=… */
  url: string;
  /** PEM file of a private authority; turns TLS on, certificate and host name verified. */
  caFile?: string;
  /** PEM files of the client's certificate and its key, both or neither; they ask for TLS. */
  certFile?: string;
  keyFile?: string;
  /** What pg_stat_activity shows. Default adit. */
  applicationName?: string;
  /** Connections of this process at the most. Default 10. */
  poolSize?: number;
  /** Seconds to keep trying when the server cannot be reached at the start. Default 60. */
  connectSeconds?: number;
  /** Seconds to wait for a free connection, or for the server to accept one, before UNAVAILABLE. Default 10. */
  acquireSeconds?: number;
  /** Seconds that a statement may run. Default 60. */
  statementSeconds?: number;
  /** Seconds that a statement waits for a lock. Default 20. */
  lockSeconds?: number;
  /** Seconds after which the server ends a transaction in which nothing happens. Default 60. */
  idleTransactionSeconds?: number;
  /** Prepare statements that come again. Default true, and false through a pooler that hands no start parameters on. */
  prepare?: boolean;
  /** Bring the schema up to date first; else somebody else does, and is waited for. Default true. */
  migrate?: boolean;
  /** As `url`, for the migrations alone: another user, or past a pooler. Default `url`. */
  migrationUrl?: string;
  /** Seconds that migrations wait for a lock that others hold, and that a process waits for migrations. Default 240. */
  migrationSeconds?: number;
}
