import { freshDatabase } from './fresh-database.js';
import { testServer } from './servers.js';

/** A database of one spec's own, without rows, as `openDatabase` and `DatabaseModule` take it. */
export interface SpecDatabase {
  settings: { driver: 'postgres'; url: string } | { driver: 'pglite'; directory: null };
  /** Removes it, once whatever used it is closed. */
  drop(): Promise<void>;
}

/**
 * For a spec that needs some database, no matter which: on the test run's PostgreSQL, where it costs a tenth of the CPU, or
 * embedded and in memory where there is none, so that a spec runs on its own without any server.
 */
export async function specDatabase(): Promise<SpecDatabase> {
  const server = await testServer('postgres');
  if ('reason' in server) {
    return { settings: { driver: 'pglite', directory: null }, drop: () => Promise.resolve() };
  }
  const { url, drop } = await freshDatabase(server.url, server.migrated);
  return { settings: { driver: 'postgres', url }, drop };
}
