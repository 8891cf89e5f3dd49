import pg from 'pg';
import type { PgliteConfig } from '../config.js';
import type { DatabaseDriver } from '../driver.js';
import { startPglite } from './pglite-start.js';
import { PgliteStream } from './pglite-stream.js';
import { preparingClient } from '../postgres/preparing-client.js';

/**
 * PostgreSQL in the process. `pg` speaks its wire protocol to a PGlite in a worker thread over a MessagePort, so queries,
 * parsing of rows and errors are those of PostgreSQL proper and the event loop stays free. One session: the pool holds one
 * connection, transactions run one after the other, and SKIP LOCKED or LISTEN/NOTIFY say nothing about concurrency.
 */
export async function openPglite(config: PgliteConfig): Promise<DatabaseDriver> {
  const { server, close } = await startPglite(config);
  return {
    isShared: false,
    connectSeconds: 0,
    migrationSeconds: 0,
    options: {
      type: 'postgres',
      driver: pg,
      // PGlite has no uuid-ossp; with 'pgcrypto' TypeORM writes gen_random_uuid(), which is built in.
      uuidExtension: 'pgcrypto',
      installExtensions: false,
      poolSize: 1,
      extra: {
        Client: preparingClient(),
        stream: () => new PgliteStream(() => server.connect()),
        user: 'postgres',
        database: 'postgres',
        connectionTimeoutMillis: (config.acquireSeconds ?? 30) * 1000,
        // The one connection stays: closing it would only cost the session its caches.
        idleTimeoutMillis: 0,
      },
    },
    close,
  };
}
