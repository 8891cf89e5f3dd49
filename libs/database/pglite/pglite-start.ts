import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createLogger } from '@adit/runtime';
import type { PgliteConfig } from '../config.js';
import { lockDirectory } from './directory-lock.js';
import { PgliteServer, type PgliteServerOptions } from './pglite-server.js';

const log = createLogger('database');

/** Folder of the embedded database in the data folder. */
export const EMBEDDED_DATABASE = 'database';

/** An embedded PostgreSQL that takes connections, and the lock on its folder. */
export interface StartedPglite {
  server: Pick<PgliteServer, 'connect'>;
  close(): Promise<void>;
}

/** Databases started ahead of their opening, by folder. */
const ahead = new Map<string, Promise<StartedPglite>>();

/**
 * Starts the embedded database in `directory` before its user has been loaded: its second of work is then done in
 * parallel, on another core. The next opening of that folder takes it, or gets its error. Returns a function that
 * closes it if it was not taken. This file imports little, since the head start waits for its imports.
 */
export function startPgliteAhead(directory: string): () => Promise<void> {
  const home = resolve(directory);
  const starting = start({ driver: 'pglite', directory: home });
  starting.catch(() => undefined);
  ahead.set(home, starting);
  return async () => {
    if (ahead.get(home) !== starting) return;
    ahead.delete(home);
    const started = await starting.catch(() => null);
    await started?.close();
  };
}

/** Makes the next opening of `directory` use `started`, which runs elsewhere. */
export function useRunningPglite(directory: string, started: StartedPglite): void {
  ahead.set(resolve(directory), Promise.resolve(started));
}

/** Locks the folder, makes a database in it if there is none, and starts it. Throws UNAVAILABLE. */
export function startPglite(config: PgliteConfig): Promise<StartedPglite> {
  const home = config.directory === null ? null : resolve(config.directory);
  const started = home === null || config.durable === false ? undefined : ahead.get(home);
  if (home === null || started === undefined) return start(config);
  ahead.delete(home);
  return started;
}

async function start(config: PgliteConfig): Promise<StartedPglite> {
  const home = config.directory === null ? null : resolve(config.directory);
  const lost = (): void => {
    log.fatal(
      { directory: home },
      'another process has taken the data directory over: this one was suspended for too long',
    );
    void server.abandon();
  };
  const lock = home === null ? null : await lockDirectory(home, lost);
  const options = {
    directory: home === null ? null : join(home, 'pgdata'),
    durable: home !== null && config.durable !== false,
  };
  const template = home === null ? await (await import('./pglite-template.js')).readTemplate() : null;
  const server = new PgliteServer({ ...options, template });
  try {
    if (home !== null && !(await isFinished(home))) await makeDatabase(home, options);
    await server.start();
  } catch (error) {
    await server.close();
    await lock?.release();
    throw error;
  }
  return {
    server,
    async close() {
      await server.close();
      await lock?.release();
    },
  };
}

const FINISHED = 'pgdata.finished';
const SYNC_CONCURRENCY = 16;

function isFinished(home: string): Promise<boolean> {
  return access(join(home, FINISHED)).then(
    () => true,
    () => false,
  );
}

/** A process killed meanwhile leaves half a database, without commits: it is made anew. */
async function makeDatabase(home: string, options: PgliteServerOptions): Promise<void> {
  const data = join(home, 'pgdata');
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  // The module knows the migrations, which are slow to load for an existing database.
  const { unpackTemplate } = await import('./pglite-template.js');
  if (!(await unpackTemplate(data))) await initialize(options);
  // All of it is synced before the mark, or the mark might survive a loss of power and the database not.
  if (options.durable) await syncTree(data);
  await (await open(join(home, FINISHED), 'a')).close();
  if (options.durable) await Promise.all([home, join(home, FINISHED)].map(syncToDisk));
}

/** Runs in a worker of its own: the WebAssembly memory of initdb is released only with the thread. */
async function initialize(options: PgliteServerOptions): Promise<void> {
  const maker = new PgliteServer(options);
  try {
    await maker.start();
  } finally {
    await maker.close();
  }
}

/** fsync of a directory, and of all its contents. */
async function syncTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  const paths = [directory, ...entries.map((entry) => join(directory, entry))];
  await Promise.all(
    Array.from({ length: SYNC_CONCURRENCY }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await syncToDisk(path);
    }),
  );
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
