import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createLogger } from '@adit/runtime';
import pg from 'pg';
import type { PgliteConfig } from './config.js';
import { lockDirectory } from './directory-lock.js';
import type { DatabaseDriver } from './driver.js';
import { PgliteServer, type PgliteServerOptions } from './pglite-server.js';
import { PgliteStream } from './pglite-stream.js';
import { readTemplate, unpackTemplate } from './pglite-template.js';
import { PreparingClient } from './preparing-client.js';

const log = createLogger('database');

/**
 * PostgreSQL in the process. `pg` speaks its wire protocol to a PGlite in a worker thread over a MessagePort, so queries,
 * parsing of rows and errors are those of PostgreSQL proper and the event loop stays free. One session: the pool holds one
 * connection, transactions run one after the other, and SKIP LOCKED or LISTEN/NOTIFY say nothing about concurrency.
 */
export async function openPglite(config: PgliteConfig): Promise<DatabaseDriver> {
  const home = config.directory === null ? null : resolve(config.directory);
  const lost = (): void => {
    log.fatal(
      { directory: home },
      'another process has taken the data directory over: this one stood still for too long',
    );
    void server.abandon();
  };
  const lock = home === null ? null : await lockDirectory(home, lost);
  const options = {
    directory: home === null ? null : join(home, 'pgdata'),
    durable: home !== null && config.durable !== false,
  };
  const server = new PgliteServer(home === null ? { ...options, template: await readTemplate() } : options);
  try {
    if (home !== null && !(await isFinished(home))) await makeDatabase(home, options);
    await server.start();
  } catch (error) {
    await server.close();
    await lock?.release();
    throw error;
  }
  return {
    isShared: false,
    connectSeconds: 0,
    options: {
      type: 'postgres',
      driver: pg,
      // PGlite has no uuid-ossp; gen_random_uuid() is what 'pgcrypto' makes TypeORM write, and it is built in.
      uuidExtension: 'pgcrypto',
      installExtensions: false,
      poolSize: 1,
      extra: {
        Client: PreparingClient,
        stream: () => new PgliteStream(() => server.connect()),
        user: 'postgres',
        database: 'postgres',
        connectionTimeoutMillis: (config.acquireSeconds ?? 30) * 1000,
        // The one connection stays: closing it would only cost the session its caches.
        idleTimeoutMillis: 0,
      },
    },
    async close() {
      await server.close();
      await lock?.release();
    },
  };
}

const FINISHED = 'pgdata.finished';
const SYNCS_AT_ONCE = 16;

function isFinished(home: string): Promise<boolean> {
  return access(join(home, FINISHED)).then(
    () => true,
    () => false,
  );
}

/** A process killed meanwhile leaves half a database, in which nothing was ever committed: begin anew. */
async function makeDatabase(home: string, options: PgliteServerOptions): Promise<void> {
  const data = join(home, 'pgdata');
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  if (!(await unpackTemplate(data))) await initialize(options);
  // All of it before the mark, or the mark might outlive a loss of power and the database not.
  if (options.durable) await syncTree(data);
  await (await open(join(home, FINISHED), 'a')).close();
  if (options.durable) await Promise.all([home, join(home, FINISHED)].map(syncToDisk));
}

/** In a worker of its own: what initdb takes of WebAssembly's memory is given back only with the thread. */
async function initialize(options: PgliteServerOptions): Promise<void> {
  const maker = new PgliteServer(options);
  try {
    await maker.start();
  } finally {
    await maker.close();
  }
}

/** fsync of a directory, and of all that lies in it. */
async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  const paths = [directory, ...entries.map((entry) => join(directory, entry))];
  await Promise.all(
    Array.from({ length: SYNCS_AT_ONCE }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncToDisk(path);
    }),
  );
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
