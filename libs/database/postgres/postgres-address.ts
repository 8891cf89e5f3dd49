import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { AditError } from '@adit/contracts';
import type { PostgresConfig } from '../config.js';

/** A parsed connection URL. `place` names the server in messages: host and port, never the password. */
export interface PostgresAddress {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  applicationName: string;
  ssl: false | ConnectionOptions;
  place: string;
  /** Setting that contains it, for messages. */
  setting: Setting;
}

type Setting = 'DATABASE_URL' | 'DATABASE_MIGRATION_URL';

const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'host', 'port'];

/**
 * Reads postgresql://user:password@host:port/database with libpq's meaning of `sslmode`: disable, require (encrypted, the
 * certificate is not checked unless an authority is given), verify-ca, verify-full (host name too). A CA file or a client's certificate
 * alone is verify-full. Throws VALIDATION, which names the setting and not the URL, when it cannot be used.
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
    ssl: tls(setting, parameter('sslmode'), {
      ca: config.caFile ?? parameter('sslrootcert'),
      cert: config.certFile ?? parameter('sslcert'),
      key: config.keyFile ?? parameter('sslkey'),
    }),
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

/** PEM files by content. */
interface Files {
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
}

function tls(setting: Setting, mode: string | undefined, files: Files): false | ConnectionOptions {
  const ca = files.ca === undefined ? undefined : readPem('certificate authority', files.ca);
  const own = clientCertificate(setting, files);
  switch (mode ?? (ca === undefined && own.cert === undefined ? 'disable' : 'verify-full')) {
    case 'disable':
      return false;
    case 'no-verify':
      return { ...own, rejectUnauthorized: false };
    case 'require':
      return ca === undefined
        ? { ...own, rejectUnauthorized: false }
        : { ...own, ca, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ...own, ca, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ...own, ca };
    default:
      throw invalid(setting, `asks for sslmode ${mode}; use disable, require, verify-ca or verify-full`);
  }
}

function clientCertificate(setting: Setting, { cert, key }: Files): Pick<ConnectionOptions, 'cert' | 'key'> {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    const [there, missing] = cert === undefined ? ['sslkey', 'sslcert'] : ['sslcert', 'sslkey'];
    throw invalid(setting, `has ${there} without ${missing} (DATABASE_SSL_CERT_FILE, DATABASE_SSL_KEY_FILE)`);
  }
  return { cert: readPem('client certificate', cert), key: readPem('key of the client certificate', key) };
}

function readPem(what: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new AditError('VALIDATION', `The ${what}'s file ${file} cannot be read.`, { cause: error });
  }
}

function invalid(setting: Setting, why: string): AditError {
  return new AditError('VALIDATION', `${setting} ${why}.`);
}
