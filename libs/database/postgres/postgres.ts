import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, errorCode, errorMessage } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import pg from 'pg';
import type { PostgresConfig } from '../config.js';
import type { DatabaseDriver } from '../driver.js';
import { isUnavailable } from '../errors.js';
import { limitedClient } from './limited-client.js';
import { MIGRATION_SECONDS } from '../migrate.js';
import { postgresAddress, type PostgresAddress } from './postgres-address.js';
import { watchedClient } from './postgres-client.js';
import { requireServer } from './postgres-requirements.js';
import { preparingClient } from './preparing-client.js';
import {
  hasStartOptions,
  refusesStartOptions,
  refusesUser,
  requireTransactions,
  startOptions,
  type SessionLimits,
} from './session-limits.js';

const log = createLogger('database');
/** Time after which a connection is dropped, even if it has not ended. */
const END_MS = 1_000;
/** Pause between two attempts to reach a server that does not answer yet. */
const RETRY_MS = 500;
/** Extra time before a server counts as lost: a running one answers a statement that it cancelled itself. */
const SILENCE_GRACE_SECONDS = 15;

/**
 * Connects to a PostgreSQL server through a pool of `pg`. Waits for one that is starting. Throws UNAVAILABLE naming
 * host and port when it stays down, VALIDATION when it refuses the user, lacks the database or does not meet the
 * requirements.
 */
export async function openPostgres(config: PostgresConfig): Promise<DatabaseDriver> {
  const address = postgresAddress(config);
  const connectSeconds = config.connectSeconds ?? 60;
  const statementSeconds = config.statementSeconds ?? 60;
  const migrationSeconds = config.migrationSeconds ?? MIGRATION_SECONDS;
  const limits: SessionLimits = {
    statement_timeout: Math.round(statementSeconds * 1000),
    lock_timeout: Math.round((config.lockSeconds ?? 20) * 1000),
    idle_in_transaction_session_timeout: Math.round((config.idleTransactionSeconds ?? 60) * 1000),
  };
  const { connection, isPooled } = await reach(connectionTo(address, config), limits, address, connectSeconds);
  const isPreparing = config.prepare ?? !isPooled;
  if (isPooled) {
    log.info(
      { limits, preparing: isPreparing },
      `a pooler at ${address.place} hands no start parameters on to PostgreSQL: the time limits go with each transaction`,
    );
  }
  const options = {
    type: 'postgres' as const,
    driver: pg,
    // gen_random_uuid() is built in since 13; TypeORM would install uuid-ossp, which needs a superuser.
    uuidExtension: 'pgcrypto' as const,
    installExtensions: false,
    poolErrorHandler: (error: Error) => log.warn({ err: error }, `lost an idle connection to ${address.place}`),
  };
  const Limited = isPooled ? limitedClient(limits) : pg.Client;
  const Prepared = isPreparing ? preparingClient(Limited) : Limited;
  const Client = statementSeconds === 0 ? Prepared : watchedClient(statementSeconds + SILENCE_GRACE_SECONDS, Prepared);
  return {
    isShared: true,
    isPooled,
    connectSeconds,
    migrationSeconds,
    options: { ...options, poolSize: config.poolSize ?? 10, extra: { ...connection, Client } },
    async migrationOptions() {
      // An index on a large table takes its time. A statement that waits for a lock longer than this is cancelled.
      const patience = { statement_timeout: 0, lock_timeout: migrationSeconds * 1000 };
      const own = await migrationConnection();
      const extra = {
        ...own.connection,
        ...(own.isPooled ? {} : { options: startOptions(patience) }),
        // The name by which the search for blockers identifies sessions of migrations.
        application_name: `${address.applicationName} migrations`,
      };
      // One migrates, one holds the lock meanwhile, one reads the blockers.
      return { ...options, poolSize: 3, extra };
    },
    async close() {},
  };

  /** Address of the migrations, checked first where it is not that of work. */
  async function migrationConnection(): Promise<Reached> {
    if (config.migrationUrl === undefined) return { connection, isPooled };
    const own = postgresAddress({ ...config, url: config.migrationUrl }, 'DATABASE_MIGRATION_URL');
    return await reach(connectionTo(own, config), limits, own, connectSeconds);
  }
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
    connectionTimeoutMillis: acquireSeconds * 1000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

interface Reached {
  connection: pg.ClientConfig;
  /** A pooler drops start parameters: no setting may be left to the session. */
  isPooled: boolean;
}

/**
 * Connects once and checks the server. Returns the way to connect: with `limits` as start parameters, or without
 * where a pooler would refuse or ignore them.
 */
async function reach(
  plain: pg.ClientConfig,
  limits: SessionLimits,
  address: PostgresAddress,
  connectSeconds: number,
): Promise<Reached> {
  const deadline = Date.now() + connectSeconds * 1000;
  let connection: pg.ClientConfig = { ...plain, options: startOptions(limits) };
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client(connection);
    // An event between two statements shows in the next one.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await requireServer(client, address);
      if (connection !== plain && (await hasStartOptions(client))) return { connection, isPooled: false };
      await requireTransactions(client, address);
      return { connection: plain, isPooled: true };
    } catch (error) {
      if (connection !== plain && refusesStartOptions(error)) {
        connection = plain;
        continue;
      }
      if (!isUnavailable(error) || refusesUser(error)) throw refused(error, address);
      const left = deadline - Date.now();
      if (left <= 0) throw unreachable(error, address);
      if (attempt === 1) log.warn({ err: error }, `waiting for PostgreSQL at ${address.place}`);
      await sleep(Math.min(RETRY_MS, left));
    } finally {
      await endOf(client);
    }
  }
}

/** Ends the client. `end` waits for an event that a TLS connection closed by the server does not always raise. */
async function endOf(client: pg.Client): Promise<void> {
  const late = new AbortController();
  const { signal } = late;
  const waited = sleep(END_MS, undefined, { signal }).catch(() => undefined);
  await Promise.race([client.end().catch(() => undefined), waited]);
  late.abort();
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

/** True for errors that waiting would not change. The codes are those of PostgreSQL's appendix A. */
function refused(error: unknown, { place, setting, user, database }: PostgresAddress): AditError {
  if (error instanceof AditError) return error;
  const code = errorCode(error) ?? '';
  const hint =
    code.startsWith('28') || refusesUser(error)
      ? `it refuses the user ${user ?? '(none)'}: check user and password in ${setting}, and pg_hba.conf or the pooler’s users`
      : code === '3D000'
        ? `it has no database ${database ?? user ?? ''}: create it, or name another in ${setting}`
        : (errorMessage(error) ?? String(error));
  return new AditError('VALIDATION', `PostgreSQL at ${place} cannot be used: ${hint}.`, { cause: error });
}
