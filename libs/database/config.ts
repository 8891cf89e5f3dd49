/** Which database a process uses. Read from the configuration by the app, never from the environment here. */
export type DatabaseConfig = PgliteConfig;

/** PostgreSQL embedded in the process (PGlite), one session. */
export interface PgliteConfig {
  driver: 'pglite';
  /** A folder of its own for the data files; null keeps them in memory until close. */
  directory: string | null;
  /** fsync at every commit, so that a commit survives the loss of power; a killed process loses nothing either way. Default true. */
  durable?: boolean;
  /** Seconds to wait for the one connection before giving up with UNAVAILABLE. Default 30. */
  acquireSeconds?: number;
}
