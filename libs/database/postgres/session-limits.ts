import { AditError, elementAt } from '@adit/contracts';
import type { Client } from 'pg';
import type { PostgresAddress } from './postgres-address.js';

/** Time limits of a session in milliseconds, by PostgreSQL's names; 0 is for ever. */
export type SessionLimits = Readonly<
  Record<'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout', number>
>;

/** Default isolation that transactions rely on; the database's owner may have set another. */
const ISOLATION = 'read committed';

/** PostgreSQL's start parameter `options`, which holds for the whole session. Limits of the user or database count for less. */
export function startOptions(limits: Partial<SessionLimits>): string {
  const settings = { default_transaction_isolation: ISOLATION, ...limits };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
    .join(' ');
}

/** Messages of poolers that drop start parameters: PgBouncer, and RDS Proxy. */
export function refusesStartOptions(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter|command-line options/i.test(error.message);
}

/** PgBouncer's message for a user that it refuses, which has the code of a broken protocol. */
export function refusesUser(error: unknown): boolean {
  return error instanceof Error && /authentication failed|no such user/i.test(error.message);
}

/** True when the session has the settings of `startOptions`: a pooler may drop them silently. */
export async function hasStartOptions(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ source: string }>(
    `SELECT source FROM pg_settings WHERE name = 'default_transaction_isolation'`,
  );
  return rows.some(({ source }) => source === 'client');
}

/**
 * Checks in place of start parameters. Throws VALIDATION for a pooler that gives every statement another session, and
 * for a database with another isolation of transactions than Adit needs.
 */
export async function requireTransactions(client: Client, { place }: Pick<PostgresAddress, 'place'>): Promise<void> {
  const unusable = (why: string, cause?: unknown) =>
    new AditError('VALIDATION', `PostgreSQL at ${place} cannot be used: ${why}.`, { cause });
  try {
    await client.query('START TRANSACTION');
    const { rows } = await client.query<{ isolation: string }>(
      `SELECT current_setting('default_transaction_isolation') AS isolation`,
    );
    await client.query('COMMIT');
    const { isolation } = elementAt(rows, 0);
    if (isolation === ISOLATION) return;
    throw unusable(
      `the pooler in between hands no start parameters on, and transactions begin as ${isolation}; have the database's owner run ALTER DATABASE … SET default_transaction_isolation = '${ISOLATION}', or name the server itself`,
    );
  } catch (error) {
    if (!(error instanceof Error && /statement pooling/i.test(error.message))) throw error;
    throw unusable('the pooler in between pools statements; have it pool sessions or transactions', error);
  }
}
