import { AditError } from '@adit/contracts';

/** Protocols of streams that are read over a connection of our own, with their default ports. */
const DEFAULT_PORTS = { rtsp: 554, rtsps: 322, rtmp: 1935, rtmps: 443, srt: null } as const;

type ConnectedProtocol = keyof typeof DEFAULT_PORTS;

export interface Credentials {
  username: string;
  password: string;
}

/** Address of a live stream. Only `credentials` has the user name and password. */
export class LiveAddress {
  readonly #credentials: Credentials | null;

  constructor(
    readonly protocol: ConnectedProtocol,
    /** Host name or IP address in plain notation; IPv6 in brackets. */
    readonly host: string,
    readonly port: number,
    /** Path and query as they were written, from the first slash; may be empty. */
    readonly path: string,
    credentials: Credentials | null,
  ) {
    this.#credentials = credentials;
  }

  get credentials(): Credentials | null {
    return this.#credentials;
  }

  /** `rtsp://host:port`, as requests begin. */
  get origin(): string {
    return `${this.protocol}://${this.host}:${this.port}`;
  }

  /** The whole address without the user name and password. */
  toString(): string {
    return this.origin + this.path;
  }
}

export type LiveProtocol = 'hls' | 'dash' | 'http' | 'rtsp' | 'rtmp' | 'srt';

/** An address at which a call is waited for; it has no host. */
const SRT_LISTENER = /^srt:\/\/:\d/i;

const PROTOCOLS: Record<ConnectedProtocol, LiveProtocol> = {
  rtsp: 'rtsp',
  rtsps: 'rtsp',
  rtmp: 'rtmp',
  rtmps: 'rtmp',
  srt: 'srt',
};

/**
 * Returns how a live stream at this address would be read, by its scheme and path alone; null for every other address.
 * A playlist (`hls`) may turn out to be that of a film.
 */
export function liveProtocol(uri: string): LiveProtocol | null {
  if (SRT_LISTENER.test(uri)) return 'srt';
  if (!URL.canParse(uri)) return null;
  const { protocol, pathname } = new URL(uri);
  const scheme = protocol.slice(0, -1);
  if (isConnectedProtocol(scheme)) return PROTOCOLS[scheme];
  if (scheme !== 'http' && scheme !== 'https') return null;
  if (/\.m3u8$/i.test(pathname)) return 'hls';
  return /\.mpd$/i.test(pathname) ? 'dash' : null;
}

/**
 * Returns how an address would be read of which somebody says that it is a stream: any other web address as the body of
 * one answer (`http`).
 */
export function streamProtocol(uri: string): LiveProtocol | null {
  return liveProtocol(uri) ?? (/^https?:/i.test(uri) && URL.canParse(uri) ? 'http' : null);
}

const MAX_LENGTH = 4096;
/** Query parameters and parts of paths in which cameras expect passwords. */
const SECRET = /\b(user(?:name)?|pass(?:word|wd)?|pwd|token|key|secret|auth)=[^/&;]*/gi;

/**
 * Parses the address of a stream. Throws VALIDATION for one that cannot be read in one way only; whether its host may
 * be reached is checked when it is connected to.
 */
export function parseLiveAddress(uri: string): LiveAddress {
  if (uri.length > MAX_LENGTH) throw invalid('it is too long');
  if (!/^[!-~]*$/.test(uri)) {
    throw invalid('it holds a space or another character that has to be written as %XX');
  }
  const [, scheme = '', authority = '', path = ''] = /^([a-z]+):\/\/([^/?#\\]*)([^#\\]*)$/i.exec(uri) ?? [];
  const protocol = scheme.toLowerCase();
  if (!isConnectedProtocol(protocol))
    throw invalid('it does not begin with rtsp://, rtsps://, rtmp://, rtmps:// or srt://');
  const at = authority.lastIndexOf('@');
  const [, host = '', port] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority.slice(at + 1)) ?? [];
  // What follows an unencoded slash of a password looks like a host and a path.
  if (at < 0 && /^[^/]*:[^/]*$/.test(authority) && /^[^?]*@/.test(path) && !/^\d*$/.test(port ?? 'x')) {
    throw invalid('characters of a password such as / ? # @ have to be written as %XX');
  }
  return new LiveAddress(
    protocol,
    plainHost(host),
    portOf(port, protocol),
    path,
    credentialsOf(authority.slice(0, Math.max(at, 0))),
  );
}

/**
 * Address for clients, logs and results: without user name, password, query and fragment, all of which may hold
 * secrets. Some cameras take a password in the path, as `password=…`.
 */
export function shownAddress(uri: string): string {
  return uri
    .replace(/[?#].*$/s, '')
    .replace(/^([a-z]+:\/\/)[^/]*@/i, '$1')
    .replace(SECRET, '$1=');
}

function isConnectedProtocol(protocol: string): protocol is ConnectedProtocol {
  return Object.hasOwn(DEFAULT_PORTS, protocol);
}

/** Brings an IPv4 address in any notation (octal, hexadecimal, one number) to four decimal numbers, as browsers do. */
function plainHost(host: string): string {
  const web = `http://${host}/`;
  if (host === '' || !URL.canParse(web)) throw invalid('its host cannot be read');
  const { hostname } = new URL(web);
  if (hostname === '') throw invalid('it names no host');
  return hostname;
}

function portOf(text: string | undefined, protocol: ConnectedProtocol): number {
  const port = text === undefined || text === '' ? DEFAULT_PORTS[protocol] : Number(text);
  if (port === null) throw invalid('it names no port');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('its port is not a number from 1 to 65535');
  return port;
}

function credentialsOf(text: string): Credentials | null {
  if (text === '') return null;
  const [name = '', ...rest] = text.split(':');
  try {
    return { username: decodeURIComponent(name), password: decodeURIComponent(rest.join(':')) };
  } catch {
    throw invalid('a percent sign in its user name or password has to be written as %25');
  }
}

/** Never shows the address: what makes it invalid may be part of a password. */
function invalid(reason: string): AditError {
  return new AditError('VALIDATION', `The address of the stream is refused: ${reason}.`);
}
