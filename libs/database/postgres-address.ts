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
  /** The setting that it stands in, for messages. */
  setting: Setting;
}

type Setting = 'DATABASE_URL' | 'DATABASE_MIGRATION_URL';

const PARAMETERS = ['sslmode', 'sslrootcert', 'application_name', 'host', 'port'];

/**
 * Reads postgresql://user:password@host:port/database with libpq's meaning of `sslmode`: disable, require (encrypted, the
 * certificate is not checked unless an authority is given), verify-ca, verify-full (host name too). A CA file alone is
 * verify-full. Throws VALIDATION, which names the setting and not the URL, when it cannot be used.
 */
export function postgresAddress(config: PostgresConfig, setting: Setting = 'DATABASE_URL'): PostgresAddress {
  const url = parse(config.url, setting);
  const decode = (text: string) => decoded(text, setting);
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name)) {
      throw invalid(setting, `has the unknown parameter "${name}"; ${PARAMETERS.join(', ')} are understood`);
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
    ssl: tls(setting, parameter('sslmode'), config.caFile ?? parameter('sslrootcert')),
    place: host.startsWith('/') ? host : `${host}:${port}`,
    setting,
  };
}

function parse(text: string, setting: Setting): URL {
  if (!URL.canParse(text)) {
    throw invalid(setting, 'is no URL; a "@", "/" or ":" in the password is written %40, %2F or %3A');
  }
  const url = new URL(text);
  if (!/^postgres(ql)?:$/.test(url.protocol)) throw invalid(setting, 'does not begin with postgresql://');
  return url;
}

function decoded(text: string, setting: Setting): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(setting, 'has a "%" that begins no escape; write %25');
  }
}

function tls(setting: Setting, mode: string | undefined, caFile: string | undefined): false | ConnectionOptions {
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
      throw invalid(setting, `asks for sslmode ${mode}; use disable, require, verify-ca or verify-full`);
  }
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AditError('VALIDATION', `The certificate authority's file ${file} cannot be read.`, { cause: error });
  }
}

function invalid(setting: Setting, why: string): AditError {
  return new AditError('VALIDATION', `${setting} ${why}.`);
}
