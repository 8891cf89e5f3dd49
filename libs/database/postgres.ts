import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, errorCode, errorMessage } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import pg from 'pg';
import type { PostgresConfig } from './config.js';
import type { DatabaseDriver } from './driver.js';
import { isUnavailable } from './errors.js';
import { MIGRATION_SECONDS } from './migrate.js';
import { postgresAddress, type PostgresAddress } from './postgres-address.js';
import { watchedClient } from './postgres-client.js';
import { PreparingClient } from './preparing-client.js';
import { requireServer } from './postgres-requirements.js';

const log = createLogger('database');
/** Between two tries to reach a server that is not there yet. */
const RETRY_MS = 500;
/** A server that runs answers a statement that it broke off itself; only one that is lost says nothing for so much longer. */
const SILENCE_GRACE_SECONDS = 15;

/**
 * A PostgreSQL server through a pool of `pg`. Waits for one that is still starting; throws UNAVAILABLE naming host and port
 * when it stays away, VALIDATION when it refuses the user, lacks the database or is none that Adit can use.
 */
export async function openPostgres(config: PostgresConfig): Promise<DatabaseDriver> {
  const address = postgresAddress(config);
  const connection = connectionTo(address, config);
  const connectSeconds = config.connectSeconds ?? 60;
  await reach(connection, address, connectSeconds);

  const statementSeconds = config.statementSeconds ?? 60;
  const migrationSeconds = config.migrationSeconds ?? MIGRATION_SECONDS;
  const limits = {
    statement_timeout: statementSeconds * 1000,
    lock_timeout: (config.lockSeconds ?? 20) * 1000,
    idle_in_transaction_session_timeout: (config.idleTransactionSeconds ?? 60) * 1000,
  };
  const options = {
    type: 'postgres' as const,
    driver: pg,
    // gen_random_uuid() is built in since 13; TypeORM would install uuid-ossp, which needs a superuser.
    uuidExtension: 'pgcrypto' as const,
    installExtensions: false,
    poolErrorHandler: (error: Error) => log.warn({ err: error }, `lost an idle connection to ${address.place}`),
  };
  const Prepared = config.prepare === false ? pg.Client : PreparingClient;
  const Client = statementSeconds === 0 ? Prepared : watchedClient(statementSeconds + SILENCE_GRACE_SECONDS, Prepared);
  return {
    isShared: true,
    connectSeconds,
    migrationSeconds,
    options: { ...options, poolSize: config.poolSize ?? 10, extra: { ...connection, ...limits, Client } },
    async migrationOptions() {
      const own = await migrationAddress(config, address, connectSeconds);
      const extra = {
        ...connectionTo(own, config),
        // By which whoever looks whom migrations wait for knows them.
        application_name: `${address.applicationName} migrations`,
        // An index on a large table takes its time. What waits for a lock longer than this is given up on.
        lock_timeout: migrationSeconds * 1000,
      };
      // One migrates, one holds the lock meanwhile, one looks whom they wait for.
      return { ...options, poolSize: 3, extra };
    },
    async close() {},
  };
}

function connectionTo(address: PostgresAddress, { acquireSeconds = 10 }: PostgresConfig): pg.ClientConfig {
  return {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: address.ssl,
    application_name: address.applicationName,
    // What transactions rely on when they name none; the database's owner may have set another.
    options: '-c default_transaction_isolation=read\\ committed',
    connectionTimeoutMillis: acquireSeconds * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Where migrations are run, which is looked at first where it is another place than that of work. */
async function migrationAddress(
  config: PostgresConfig,
  usual: PostgresAddress,
  connectSeconds: number,
): Promise<PostgresAddress> {
  if (config.migrationUrl === undefined) return usual;
  const own = postgresAddress({ ...config, url: config.migrationUrl }, 'DATABASE_MIGRATION_URL');
  await reach(connectionTo(own, config), own, connectSeconds);
  return own;
}

/** Connects once and looks whether this is a server to work with. */
async function reach(connection: pg.ClientConfig, address: PostgresAddress, connectSeconds: number): Promise<void> {
  const deadline = Date.now() + connectSeconds * 1000;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client(connection);
    // Whatever happens between two statements shows in the next one.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await requireServer(client, address);
    } catch (error) {
      if (!isUnavailable(error)) throw refused(error, address);
      const left = deadline - Date.now();
      if (left <= 0) throw unreachable(error, address);
      if (attempt === 1) log.warn({ err: error }, `waiting for PostgreSQL at ${address.place}`);
      await sleep(Math.min(RETRY_MS, left));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function unreachable(error: unknown, { place, setting }: PostgresAddress): AditError {
  if (error instanceof AditError) return error;
  const reason = errorMessage(error) || errorCode(error);
  return new AditError(
    'UNAVAILABLE',
    `PostgreSQL at ${place} cannot be reached (${reason}). Check that it runs and that ${setting} names it.`,
    { cause: error },
  );
}

/** What waiting would not change. The codes are those of PostgreSQL's appendix A. */
function refused(error: unknown, { place, setting, user, database }: PostgresAddress): AditError {
  if (error instanceof AditError) return error;
  const code = errorCode(error) ?? '';
  const hint = code.startsWith('28')
    ? `it refuses the user ${user ?? '(none)'}: check user and password in ${setting}, and pg_hba.conf`
    : code === '3D000'
      ? `it has no database ${database ?? user ?? ''}: create it, or name another in ${setting}`
      : (errorMessage(error) ?? String(error));
  return new AditError('VALIDATION', `PostgreSQL at ${place} cannot be used: ${hint}.`, { cause: error });
}
