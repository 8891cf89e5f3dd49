import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { AditError } from '@adit/contracts';
import type { PostgresConfig } from './config.js';

/** A connection URL taken apart. `place` names the server in messages: host and port, never the password. */
export interface PostgresAddress {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  applicationName: string;
  ssl: false | ConnectionOptions;
  place: string;
}

const PARAMETERS = ['sslmode', 'sslrootcert', 'application_name', 'host', 'port'];

/**
 * Reads postgresql://user:password@host:port/database with libpq's meaning of `sslmode`: disable, require (encrypted, the
 * certificate is not checked unless an authority is given), verify-ca, verify-full (host name too). A CA file alone is
 * verify-full. Throws VALIDATION, without the URL in it, when it cannot be used.
 */
export function postgresAddress(config: PostgresConfig): PostgresAddress {
  const url = parse(config.url);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw invalid(`has the unknown parameter "${name}"; ${PARAMETERS.join(', ')} are understood`);
    }
  }
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined;
  const host = parameter('host') ?? (decode(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost');
  const port = Number(parameter('port') ?? (url.port || 5432));
  return {
    host,
    port,
    user: decode(url.username) || undefined,
    password: decode(url.password) || undefined,
    database: decode(url.pathname.slice(1)) || undefined,
    applicationName: parameter('application_name') ?? config.applicationName ?? 'adit',
    ssl: tls(parameter('sslmode'), config.caFile ?? parameter('sslrootcert')),
    place: host.startsWith('/') ? host : `${host}:${port}`,
  };
}

function parse(text: string): URL {
  if (!URL.canParse(text)) throw invalid('is no URL; a "@", "/" or ":" in the password is written %40, %2F or %3A');
  const url = new URL(text);
  if (!/^postgres(ql)?:$/.test(url.protocol)) throw invalid('does not begin with postgresql://');
  return url;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('has a "%" that begins no escape; write %25');
  }
}

function tls(mode: string | undefined, caFile: string | undefined): false | ConnectionOptions {
  const ca = caFile === undefined ? undefined : readCa(caFile);
  switch (mode ?? (ca === undefined ? 'disable' : 'verify-full')) {
    case 'disable':
      return false;
    case 'no-verify':
      return { rejectUnauthorized: false };
    case 'require':
      return ca === undefined ? { rejectUnauthorized: false } : { ca, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ca, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ca };
    default:
      throw invalid(`asks for sslmode ${mode}; use disable, require, verify-ca or verify-full`);
  }
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AditError('VALIDATION', `The certificate authority's file ${file} cannot be read.`, { cause: error });
  }
}

function invalid(why: string): AditError {
  return new AditError('VALIDATION', `DATABASE_URL ${why}.`);
}
