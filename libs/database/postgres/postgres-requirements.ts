import { AditError, elementAt } from '@adit/contracts';
import type { Client } from 'pg';
import type { PostgresAddress } from './postgres-address.js';

const MIN_VERSION = 14;

/** Extensions that migrations use. They have to be available; a migration creates them. */
const EXTENSIONS: readonly string[] = [];

interface Facts {
  version: number;
  encoding: string;
  standby: boolean;
  available: string[];
}

/**
 * Throws VALIDATION for a server that Adit cannot work on: too old, another encoding, an extension that is not installed;
 * UNAVAILABLE for a standby, which a fail-over may be about to promote.
 */
export async function requireServer(
  client: Client,
  { place, setting }: Pick<PostgresAddress, 'place' | 'setting'>,
  extensions = EXTENSIONS,
): Promise<void> {
  const { rows } = await client.query<Facts>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
            pg_is_in_recovery() AS standby,
            ARRAY(SELECT name::text FROM pg_available_extensions WHERE name = ANY($1)) AS available`,
    [extensions],
  );
  const facts = elementAt(rows, 0);
  const major = Math.floor(facts.version / 10_000);
  const unusable = (why: string) => new AditError('VALIDATION', `PostgreSQL at ${place} cannot be used: ${why}.`);
  if (major < MIN_VERSION) throw unusable(`it is version ${major}; Adit needs ${MIN_VERSION} or later`);
  if (facts.encoding !== 'UTF8') {
    throw unusable(`its database is encoded in ${facts.encoding}; create one with ENCODING 'UTF8'`);
  }
  const missing = extensions.filter((name) => !facts.available.includes(name));
  if (missing.length > 0) {
    throw unusable(
      `it lacks the extension ${missing.join(', ')}; install its package on the server (pgvector: "vector")`,
    );
  }
  if (facts.standby) {
    throw new AditError(
      'UNAVAILABLE',
      `PostgreSQL at ${place} is a read-only standby. Name the primary in ${setting}.`,
    );
  }
}
