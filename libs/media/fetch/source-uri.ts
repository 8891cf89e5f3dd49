import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AditError } from '@adit/contracts';
import { AddressPolicy, AddressRefused, webAddressFault } from '@adit/net';
import { endpointFault, parseBucketObject } from './s3/bucket-object.js';
import { splitCredentials } from './web-credentials.js';
import { NO_YT_DLP } from './platform/program.js';
import { liveProtocol, type LiveProtocol } from './live-address.js';

/** Policy that decides which sources a job may name. */
export interface SourcePolicy {
  /** Folders whose files may be mined; an empty list permits no local path. */
  localRoots: readonly string[];
  /** Accepts `http://` beside `https://`. */
  allowHttp: boolean;
  /** CIDR ranges that may be reached although they are not public. */
  allowPrivateAddresses?: readonly string[];
  /** Program that downloads films of video platforms; `off` refuses them. Default: yt-dlp on the PATH. */
  ytDlp?: string;
  /** Ports and ranges of ports, as `9000-9010`, at which a stream over SRT may be waited for; none by default. */
  srtListenPorts?: readonly string[];
  /** Whether anybody may send there, without a passphrase. Default false. */
  srtListenOpen?: boolean;
}

type Source =
  | { kind: 'storage'; key: string }
  | { kind: 'local'; path: string }
  | { kind: 'bucket'; bucket: string; key: string }
  | { kind: 'web'; url: URL }
  | { kind: 'platform'; url: URL }
  // Also a film whose playlist is whole.
  | { kind: 'live'; protocol: LiveProtocol; url: URL };

const STORAGE_KEY = /^[A-Za-z0-9_-]{1,128}$/;
const LIVE = 'A live stream can only be the source of a job';
const PLATFORMS = ['youtube.com', 'youtu.be', 'youtube-nocookie.com', 'vimeo.com'];

/**
 * Checks a source without opening it. Throws VALIDATION for a syntax error, SOURCE_REFUSED for an unknown scheme, a
 * path outside the roots, a literal address that is not public, user names in addresses, or live streams:
 * `checkLive` checks those.
 */
export function checkSource(uri: string, policy: SourcePolicy): void {
  parseSource(uri, policy);
}

/** Checks as `checkSource` and returns the kind of source. */
export function parseSource(uri: string, policy: SourcePolicy): Source {
  // URL parsers drop tabs and line breaks and convert backslashes, so an ambiguous address is refused before parsing.
  const wrong = [...uri].find((character) => character <= ' ' || character === '\u007f');
  if (uri === '' || uri.length > 4096) throw new AditError('VALIDATION', 'A source has 1 to 4096 characters.');
  if (isAbsolute(uri)) return localSource(uri, policy);
  if (wrong !== undefined) throw new AditError('VALIDATION', 'A source address holds no spaces or control characters.');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      throw refused(uri, 'it is neither an address nor an absolute path');
    case 'storage':
      return storageSource(uri);
    case 'file':
      return localSource(filePath(uri), policy);
    case 's3':
      return { kind: 'bucket', ...parseBucketObject(uri) };
    case 'http':
    case 'https':
      return webSource(uri, policy);
    case 'rtsp':
    case 'rtsps':
    case 'rtmp':
    case 'rtmps':
    case 'rtmpe':
    case 'rtmpt':
    case 'srt':
    case 'hls':
      throw new AditError('SOURCE_REFUSED', `${LIVE}.`);
    default:
      throw refused(uri, `${scheme}: is not supported; use storage://, https://, s3://, file:// or an absolute path`);
  }
}

/** Throws VALIDATION when a network is not in CIDR form. */
export function sourceAddresses({ allowPrivateAddresses }: SourcePolicy): AddressPolicy {
  return new AddressPolicy(allowPrivateAddresses, 'ADIT_ALLOW_PRIVATE_ADDRESSES');
}

/** Checks the address of a request or a redirect: the scheme, no user name, and that a literal address is public. */
export function checkWebAddress(url: URL, policy: SourcePolicy): void {
  const fault = webAddressFault(url, { allowHttp: policy.allowHttp, addresses: sourceAddresses(policy) });
  if (fault !== null) throw new AddressRefused(refusal(url.href, fault));
}

/** Returns why no bucket can be read at an endpoint, fit to follow "is refused:"; null if one can. Connects to nothing. */
export function bucketEndpointFault(endpoint: string, pathStyle: boolean, policy: SourcePolicy): string | null {
  return endpointFault(endpoint, pathStyle, { allowHttp: policy.allowHttp, addresses: sourceAddresses(policy) });
}

/** Tests whether a real path is one of the roots or lies in one; the roots have to be real paths too. */
export function isWithin(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep));
}

/** Tests whether a source address belongs to a video platform. */
export function isOnPlatform(address: string): boolean {
  return URL.canParse(address) && isPlatform(new URL(address));
}

function storageSource(uri: string): Source {
  const key = uri.slice('storage://'.length);
  if (!/^storage:\/\//i.test(uri) || !STORAGE_KEY.test(key)) {
    throw new AditError(
      'VALIDATION',
      'A storage source is written storage://KEY with the key that the upload returned.',
    );
  }
  return { kind: 'storage', key };
}

function filePath(uri: string): string {
  try {
    // `fileURLToPath` throws for a host other than this machine and for encoded slashes.
    return fileURLToPath(uri);
  } catch (error) {
    throw new AditError('VALIDATION', `${brief(uri)} is not a file address of this machine.`, { cause: error });
  }
}

function localSource(path: string, policy: SourcePolicy): Source {
  if (path.includes('\0')) throw new AditError('VALIDATION', 'A path holds no NUL character.');
  const plain = resolve(path);
  const roots = policy.localRoots.map((root) => resolve(root));
  // The real path is checked again when the file is opened; resolving links here would prove nothing.
  if (!isWithin(plain, roots)) {
    throw refused(
      path,
      roots.length > 0 ? 'it lies outside the folders that may be mined' : 'local paths are not allowed here',
    );
  }
  if (/\.m3u8$/i.test(plain)) throw refused(path, 'a playlist is read from a web address only');
  return { kind: 'local', path: plain };
}

function webSource(uri: string, policy: SourcePolicy): Source {
  // `https:host`, `https:///host` and backslashes are parsed differently by different parsers.
  if (!/^https?:\/\/[^/\\]/i.test(uri) || /^[^?#]*\\/.test(uri)) {
    throw new AditError('VALIDATION', `${brief(uri)} is not a web address.`);
  }
  let url: URL;
  try {
    url = new URL(uri);
  } catch (error) {
    throw new AditError('VALIDATION', `${brief(uri)} is not a web address.`, { cause: error });
  }
  const protocol = liveProtocol(url.href);
  // Playlists may need a password, which only their own server gets.
  checkWebAddress(protocol === null ? url : splitCredentials(url).url, policy);
  if (isPlatform(url)) return platformSource(url, policy);
  return protocol === null ? { kind: 'web', url } : { kind: 'live', protocol, url };
}

function platformSource(url: URL, { ytDlp }: SourcePolicy): Source {
  if (ytDlp === NO_YT_DLP) throw refused(url.href, 'films of video platforms are not fetched here (ADIT_YT_DLP=off)');
  // Their films are fetched through tunnels alone.
  if (url.protocol !== 'https:' || url.port !== '') throw refused(url.href, 'write it as https:// without a port');
  return { kind: 'platform', url };
}

function isPlatform({ hostname }: URL): boolean {
  const host = hostname.toLowerCase().replace(/\.+$/, '');
  return PLATFORMS.some((name) => host === name || host.endsWith(`.${name}`));
}

function refused(uri: string, reason: string): AditError {
  return new AditError('SOURCE_REFUSED', refusal(uri, reason));
}

function refusal(uri: string, reason: string): string {
  return `The source ${brief(uri)} is refused: ${reason}.`;
}

/** Shortens an address for a message: no user name, no query, limited length. */
export function brief(uri: string): string {
  return uri
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//')
    .slice(0, 200);
}
